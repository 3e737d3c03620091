"""What the splitter declines: a closed vocabulary, so that it can be a metric's label and a reason's detail."""

from __future__ import annotations

SYNTAX = "syntax"
TOO_LONG = "too long"
NESTING = "nesting"
TOO_MANY_COMMANDS = "too many commands"
TOO_MANY_WORDS = "too many words"
CONTROL_CHARACTER = "control character"
INVISIBLE_CHARACTER = "invisible character"
UNUSUAL_BLANK = "unusual blank"
UNTERMINATED_QUOTE = "unterminated quote"
UNTERMINATED_HEREDOC = "unterminated heredoc"
HEREDOC_DELIMITER = "heredoc delimiter"
HEREDOC_IN_SUBSTITUTION = "heredoc in substitution"
LINE_CONTINUATION = "line continuation"
EXTENDED_GLOB = "extended glob"
FUNCTION_SUBSTITUTION = "function substitution"
PROMPT_EXPANSION = "prompt expansion"
QUOTE_IN_EXPANSION = "quote in expansion"
QUOTE_IN_ARITHMETIC = "quote in arithmetic"
AMBIGUOUS_PARENTHESES = "ambiguous parentheses"
EVALUATED_DATA = "evaluated data"
SUBSCRIPT = "subscript"
COPROCESS = "coprocess"
ANSI_ESCAPE = "ansi escape"
BRACE_REDIRECTION = "brace redirection"
DIALECT = "dialect"
INTERNAL = "internal"

CONSTRUCTS: frozenset[str] = frozenset(
    {
        SYNTAX,
        TOO_LONG,
        NESTING,
        TOO_MANY_COMMANDS,
        TOO_MANY_WORDS,
        CONTROL_CHARACTER,
        INVISIBLE_CHARACTER,
        UNUSUAL_BLANK,
        UNTERMINATED_QUOTE,
        UNTERMINATED_HEREDOC,
        HEREDOC_DELIMITER,
        HEREDOC_IN_SUBSTITUTION,
        LINE_CONTINUATION,
        EXTENDED_GLOB,
        FUNCTION_SUBSTITUTION,
        PROMPT_EXPANSION,
        QUOTE_IN_EXPANSION,
        QUOTE_IN_ARITHMETIC,
        AMBIGUOUS_PARENTHESES,
        EVALUATED_DATA,
        SUBSCRIPT,
        COPROCESS,
        ANSI_ESCAPE,
        BRACE_REDIRECTION,
        DIALECT,
        INTERNAL,
    }
)

MAX_LENGTH = 32 * 1024
MAX_NESTING = 16
MAX_COMMANDS = 512
MAX_WORDS = 4096
