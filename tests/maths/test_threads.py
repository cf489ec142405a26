import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from steelyard.maths.threads import ALONE, threads_for


def blas_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.mark.parametrize(("rows", "threads"), [(10, {1}), (ALONE + 1, {2})])
def test_only_small_matrices_are_limited_to_one_thread(rows, threads):
    with threadpool_limits(limits=2, user_api="blas"):
        with threads_for(rows):
            assert blas_threads() == threads
        assert blas_threads() == {2}
