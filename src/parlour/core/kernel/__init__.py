"""Code that the kernels of all layers share."""
