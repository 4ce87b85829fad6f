"""The commands of the command line, one module each. They read arguments, call the library and print."""
