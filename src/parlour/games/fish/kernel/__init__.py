"""The compiled part of Fish: bitboards, playouts and search."""
