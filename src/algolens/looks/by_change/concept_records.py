"""Records of what follows from concepts: outputs, state that is carried on, and going on."""

from __future__ import annotations

from algolens.looks.by_change.field_memory import FieldMemory
from algolens.looks.by_change.kernel import BY_OBSERVATION, BY_WITNESS, NEVER
from algolens.looks.by_change.memory import CLASSES, NUMBERS, Sized
from algolens.looks.by_change.plan import ConceptTables


def decided_record(memory: FieldMemory, deciding: ConceptTables) -> int:
    """Outputs by tables over the concepts."""
    count = memory.graph.count(deciding.location)
    concepts = [(memory.fields[name], memory.changed[name]) for name in deciding.concepts]
    outputs = [
        (memory.fields[name], memory.data(table, NUMBERS), memory.changed[name])
        for name, table in deciding.outputs.items()
    ]
    return memory.put(
        [
            memory.queue(count),
            Sized(count),
            len(concepts),
            *(number for row in concepts for number in row),
            len(outputs),
            *(number for row in outputs for number in row),
        ]
    )


def carried_record(memory: FieldMemory, deciding: ConceptTables) -> int:
    """Observations that are state of the next step."""
    return memory.records(
        [
            (
                memory.fields[name],
                memory.changed[name],
                memory.fields[last],
                memory.changed[last],
                Sized(len(memory.values[last])),
            )
            for name, last in deciding.carried.items()
        ]
    )


def going_on_record(memory: FieldMemory, deciding: ConceptTables) -> int:
    """How it is asked whether to go on."""
    if deciding.observed is not None:
        return memory.put([BY_OBSERVATION, memory.fields[deciding.observed]])
    if deciding.witness is None:
        return memory.put([NEVER])
    count = memory.graph.count(deciding.location)
    table = memory.data(deciding.witness.table, NUMBERS)
    rooms = memory.room(count, CLASSES), memory.room(1, NUMBERS)
    return memory.put([BY_WITNESS, int(deciding.witness.exists), table, *rooms])
