"""Programs of other packages that the tests play beside; each runs in a process of its own."""
