"""What kernels of all layers share."""
