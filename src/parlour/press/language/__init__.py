"""The language itself: words, values, reader, writer, English, and objections to nonsense."""
