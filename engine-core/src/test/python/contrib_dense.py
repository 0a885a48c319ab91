"""Cases of dense com.microsoft operators."""


def cases(writer, rng):
    pass
