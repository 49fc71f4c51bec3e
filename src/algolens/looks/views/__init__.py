"""How looks are written for readers and for other tools: LaTeX, Markdown, JSON, Python, SQL. Text
is ``writing``.
"""
