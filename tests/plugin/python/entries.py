"""Matrices whose entries are in an unusual order."""


def descending(a):
    """A matrix of SciPy with the rows of each column, or the columns of each row, in descending order. scipy.sparse.diags made
    that order until SciPy sorted it."""
    a = a.copy()
    a.sort_indices()
    for k in range(len(a.indptr) - 1):
        part = slice(a.indptr[k], a.indptr[k + 1])
        a.indices[part], a.data[part] = a.indices[part][::-1].copy(), a.data[part][::-1].copy()
    a.has_sorted_indices = False
    return a
