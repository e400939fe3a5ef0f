"""The code that `trust8.spark` and `trust8.ray` share: the files of a lake, their ranges, and a worker's job on a range.

`listing` lists the files and plans the tasks, `reading` reads a range, and `judging` makes and joins judgements. `columns` checks
the name of a policy, and `access` says who may read a new file.
"""
