"""What neural models need of this language: arrays, and networks over lists."""
