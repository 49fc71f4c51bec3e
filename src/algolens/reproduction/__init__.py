"""The paper's reproduction: its runs, studies, tables, figures and pages."""
