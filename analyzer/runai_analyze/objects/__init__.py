"""What objects are made of: paths into them, and the quantities, versions and times that their fields hold."""
