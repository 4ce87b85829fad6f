"""What neural models need of Karel: worlds and programs as arrays, and networks over worlds."""
