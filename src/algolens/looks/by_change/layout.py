"""What the records of views and their parts hold, number by number."""

# the kinds of parts that a view is kept by
COUNT, MEET, DIFFER, ORDER, FIRST = range(5)

# a count of those in view
(
    LEAST,
    MOST,
    SINGLE,  # group n is that of element n alone
    NUM_LOOKS,  # groups that an element looks at
    NUM_OWN,
    LOOK_TERM,  # the group that an element looks at; negative: it is in the array LOOK_GROUPS
    LOOK_GROUPS,
    NUM_OTHERS,
    GROUP_TERM,  # the one group that an other one stands in; negative: entries are given
    ENTRIES,  # of each other one, the first of its entries; negative: it has one, of its number
    GROUPS,  # of each entry
    SEEN,  # the element of each entry
    PLAIN,
    PARTS,
    SELECTING,
    SELECTED,
    OTHERS_ONLY,
    MOVED_OTHERS,
    OTHER_DEPENDENCIES,
) = range(19)
VIEW_SIZE = 19

# a part of it
(
    KIND,
    MASK,
    ITS_KEY,
    MY_KEY,
    IS_ON,
    KEPT_KEY,
    MARKED_HEAP,
    LOOKERS,  # lists of those who look; of an order, heaps on either side of the threshold
    NUMBERS,
    TOTALS,
    TOUCHED,
    OLD_NUMBERS,
    OLD_TOTALS,
    WITH_EQUAL,
    EXCLUDES,  # an element that comes first itself goes by the second
    PAIRS,
    ALIKE,  # those who look are marked themselves, so that the first alone comes before all
) = range(17)
PART_SIZE = 17
