"""The code of a text that is not in the language, whether the grammar or a later look finds it."""

SYNTAX_CODE = "ExmlqlSyntaxError"
