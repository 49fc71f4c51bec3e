"""What is proven: a network equals its declaration, engines compute what is declared, two programs
are equal; and certificates, which say what is proven of a network and what is only tested.
"""
