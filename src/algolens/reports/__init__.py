"""Pictures, tables and pages. They compute nothing."""
