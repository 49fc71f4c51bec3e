/* The incremental engine: steps of a program on one graph, each paid for by what changes in it.
 *
 * A program is a list of views over columns. Instead of computing a view anew in every step we keep
 * it and apply delta rules: from what changed in its inputs follows what can change in it. That is
 * semi-naive evaluation, as of Datalog. There are four kinds of view:
 *
 *   Rule    column[x] = an expression of x, and of rows that fixed steps or pointers lead to
 *   Count   how many marked rows a group has, and whether it has any: a counter for each group
 *   First   the first and second marked row of each group by keys, and which rows tie for the first:
 *           a tree of bits over rows that are sorted once where keys and groups never change,
 *           otherwise a heap for each group
 *   Hash    the group of a row by the values of keys: a hash table of groups
 *
 * A step: all views in order, then the rules of the state, whose new values take effect together.
 * Every new value of a traced column is logged: step, row, value.
 *
 * Candidates. A rule is evaluated anew where it may have changed. For each input that changed these
 * are the rows that its path leads from, or the rows where a guard holds or has just ceased to: of
 * "sender's is_next & (...)", nothing can change where "sender's is_next" is false before and after.
 * Whichever are fewest are taken, in every step.
 *
 * delta.py writes the flat description that delta_new reads. Plain C11, loaded by ctypes. There is
 * no state outside an Engine, so that threads may each run their own.
 */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif
#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

enum { INTERFACE = 4 }; /* counts changes of the description and of the functions below */

enum Status { RUNNING, BY_RULE, BY_LIMIT, OUT_OF_BOUNDS, NO_MEMORY, NOT_A_PROGRAM };

/* ---------------------------------------------------------------- memory */

typedef struct Engine Engine;
typedef struct Block Block;
struct Block { /* heads everything that is allocated, so that all is counted, and freed at the end */
  Block *previous, *next;
  size_t size;
  size_t unused; /* what follows is aligned as malloc aligns */
};

typedef struct { int32_t *at; int64_t n, room; } Rows; /* a growing list of rows */

typedef struct Column Column;
typedef struct Step Step;
typedef struct First First;
typedef struct Hash Hash;
typedef struct Rule Rule;
typedef struct Count Count;
typedef struct HashRule HashRule;
typedef struct {
  enum { RULE, COUNT, FIRST, HASH } kind;
  union { Rule *rule; Count *count; First *first; HashRule *hash; };
} View;

struct Engine {
  Block blocks; /* a ring */
  size_t used, ceiling;
  jmp_buf trap; /* where a function of the interface ends when memory or the description gives out */
  int status, has_looked, has_stepped;
  int32_t now;   /* the step that values are written in */
  int64_t turn;  /* counts runs of views, to tell what was touched in this one */
  int64_t asked; /* how many rows were gone through: what steps cost, whatever the machine */
  int64_t asks;  /* the column that says whether to go on, or -1 */
  Column **columns;
  Step **steps;
  Hash **hashes;
  View *views;
  Rule **state;
  int64_t num_columns, num_steps, num_hashes, num_views, num_state;
  Rows work, touched;
};

static _Noreturn void stop(Engine *e, int status) {
  e->status = status;
  longjmp(e->trap, 1);
}

static void *resized(Engine *e, void *old, int64_t count, size_t width) {
  Block *block = old ? (Block *)old - 1 : NULL;
  size_t before = block ? block->size : 0;
  if (count < 0 || (uint64_t)count > (SIZE_MAX / 4) / width) stop(e, NO_MEMORY);
  size_t size = (size_t)(count ? count : 1) * width + sizeof(Block);
  if (size > before && size - before > e->ceiling - e->used) stop(e, NO_MEMORY);
  Block *moved = realloc(block, size);
  if (!moved) stop(e, NO_MEMORY);
  e->used += size - before;
  moved->size = size;
  if (block) {
    moved->previous->next = moved->next->previous = moved;
  } else {
    moved->previous = &e->blocks, moved->next = e->blocks.next;
    e->blocks.next->previous = moved, e->blocks.next = moved;
  }
  return moved + 1;
}

static void *zeros(Engine *e, int64_t count, size_t width) {
  void *made = resized(e, NULL, count, width);
  memset(made, 0, (size_t)(count ? count : 1) * width);
  return made;
}

static void release(Engine *e, void *made) {
  Block *block = (Block *)made - 1;
  block->previous->next = block->next, block->next->previous = block->previous;
  e->used -= block->size;
  free(block);
}

static int32_t *filled(Engine *e, int64_t count, int32_t value) {
  int32_t *made = resized(e, NULL, count, sizeof *made);
  for (int64_t i = 0; i < count; i++) made[i] = value;
  return made;
}

static inline void push(Engine *e, Rows *rows, int32_t row) {
  if (rows->n == rows->room) {
    int64_t room = rows->room ? 2 * rows->room : 16;
    rows->at = resized(e, rows->at, room, sizeof *rows->at);
    rows->room = room;
  }
  rows->at[rows->n++] = row;
}

/* ---------------------------------------------------------------- columns, steps and paths */

typedef struct { int32_t *rows, *place; int32_t n; } Set; /* rows in any order, each once */

static void set_add(Set *s, int32_t row) { s->place[row] = s->n, s->rows[s->n++] = row; }

static void set_drop(Set *s, int32_t row) {
  int32_t last = s->rows[--s->n];
  s->rows[s->place[row]] = last, s->place[last] = s->place[row];
}

typedef struct {
  int64_t n, room;
  int32_t *step, *row;
  union { uint8_t *b; int32_t *i; int64_t *q; void *any; } value;
} Trace;

struct Column {
  int32_t n;
  int width; /* bytes of a value: 1 of a truth value or class, 4 of a row, 8 of a number */
  int is_state;
  union { uint8_t *b; int32_t *i; int64_t *q; void *any; };
  Rows delta;       /* the rows that changed when it was last computed */
  Rows was;         /* of rows (width 4) that ``keeps_old``: what they were before, in that order */
  int keeps_old;
  int64_t old;      /* the value before the last change: of use where there is one row */
  Set *where[2];    /* of one that guards: the rows where it is false or no row, and the others */
  Step *step;       /* of a pointer: the step that it is */
  Trace *trace;
  int64_t low, high; /* numbers outside are not for this engine */
};

struct Step { /* from every row of a table to one of another */
  enum { TO_GRAPH, FIXED, POINTER, TO_FIRST } kind;
  int32_t sources, targets;
  int32_t *to;                       /* where it leads; NULL: to the graph, row 0 */
  int32_t *begin, *list;             /* FIXED: the sources of each target, one target after another */
  int32_t *head, *next, *previous;   /* POINTER: the same as linked lists, */
  int32_t *count;                    /* and how long they are */
  First *first;                      /* TO_FIRST: from a group to its first row, or second */
};

typedef struct { int n; Step **steps; } Path;

static inline int64_t value_of(const Column *c, int32_t row) {
  return c->width == 1 ? c->b[row] : c->width == 4 ? c->i[row] : c->q[row];
}

static inline int holds(const Column *c, int32_t row) { return c->width == 1 ? c->b[row] : c->i[row] >= 0; }

static inline int32_t walk(const Path *p, int32_t row) {
  for (int i = 0; i < p->n && row >= 0; i++) row = p->steps[i]->to ? p->steps[i]->to[row] : 0;
  return row;
}

/* Where a path leads from a row is fetched ahead, for memory is slow. */
static inline void fetch(const Path *p, int32_t row) {
  if (p->n && p->steps[0]->to) PREFETCH(&p->steps[0]->to[row]);
}

static int32_t group_of(const First *f, int32_t row);

/* All rows from which the first k steps of a path lead to a target: the inverse of a join. */
static void sources(Engine *e, const Path *p, int k, int32_t target, Rows *out) {
  if (!k) {
    push(e, out, target);
    return;
  }
  const Step *s = p->steps[k - 1];
  if (s->kind == TO_GRAPH) {
    for (int32_t row = 0; row < s->sources; row++) sources(e, p, k - 1, row, out);
  } else if (s->kind == FIXED) {
    for (int32_t i = s->begin[target]; i < s->begin[target + 1]; i++) sources(e, p, k - 1, s->list[i], out);
  } else if (s->kind == POINTER) {
    for (int32_t row = s->head[target]; row >= 0; row = s->next[row]) sources(e, p, k - 1, row, out);
  } else {
    int32_t group = group_of(s->first, target);
    if (group >= 0 && s->to[group] == target) sources(e, p, k - 1, group, out);
  }
}

static void sources_of(Engine *e, const Path *p, const int32_t *rows, int64_t n, Rows *out) {
  for (int64_t i = 0; i < n; i++) {
    if (p->n == 1 && p->steps[0]->kind == FIXED) { /* the common case, without recursion */
      const Step *s = p->steps[0];
      for (int32_t j = s->begin[rows[i]]; j < s->begin[rows[i] + 1]; j++) push(e, out, s->list[j]);
    } else {
      sources(e, p, p->n, rows[i], out);
    }
  }
}

static inline double average(const Step *s) {
  return s->kind == TO_FIRST || !s->targets ? 1 : (double)s->sources / s->targets;
}

static double cost(const Path *p, const int32_t *rows, int64_t n) { /* about how many sources */
  if (!p->n) return (double)n;
  const Step *last = p->steps[p->n - 1];
  double total = 0;
  if (n > 64 || last->kind == TO_GRAPH || last->kind == TO_FIRST) total = (double)n * average(last);
  else if (last->kind == FIXED)
    for (int64_t i = 0; i < n; i++) total += last->begin[rows[i] + 1] - last->begin[rows[i]];
  else
    for (int64_t i = 0; i < n; i++) total += last->count[rows[i]];
  for (int i = 0; i + 1 < p->n; i++) total *= average(p->steps[i]);
  return total;
}

static void point(Step *s, int32_t row, int32_t from, int32_t to) { /* moves a row to another list */
  if (from >= 0) {
    if (s->previous[row] >= 0) s->next[s->previous[row]] = s->next[row];
    else s->head[from] = s->next[row];
    if (s->next[row] >= 0) s->previous[s->next[row]] = s->previous[row];
    s->count[from]--;
  }
  if (to >= 0) {
    s->previous[row] = -1, s->next[row] = s->head[to];
    if (s->head[to] >= 0) s->previous[s->head[to]] = row;
    s->head[to] = row;
    s->count[to]++;
  }
}

static void write_down(Engine *e, Column *c, int32_t row, int64_t value) {
  Trace *t = c->trace;
  if (t->n == t->room) {
    int64_t room = t->room ? 2 * t->room : 64;
    t->step = resized(e, t->step, room, sizeof *t->step);
    t->row = resized(e, t->row, room, sizeof *t->row);
    t->value.any = resized(e, t->value.any, room, (size_t)c->width);
    t->room = room;
  }
  t->step[t->n] = e->now, t->row[t->n] = row;
  if (c->width == 1) t->value.b[t->n] = (uint8_t)value;
  else if (c->width == 4) t->value.i[t->n] = (int32_t)value;
  else t->value.q[t->n] = value;
  t->n++;
}

static inline void clear(Column *c) {
  if (c) c->delta.n = c->was.n = 0;
}

static void set_value(Engine *e, Column *c, int32_t row, int64_t value) {
  int64_t old = value_of(c, row);
  if (old == value) return;
  push(e, &c->delta, row);
  c->old = old;
  if (c->keeps_old) push(e, &c->was, (int32_t)old);
  if (c->trace && e->has_looked) write_down(e, c, row, value);
  if (c->where[0] || c->where[1]) {
    int is = c->width == 1 ? value != 0 : value >= 0;
    if (is != holds(c, row)) {
      if (c->where[is]) set_add(c->where[is], row);
      if (c->where[!is]) set_drop(c->where[!is], row);
    }
  }
  if (c->width == 1) {
    c->b[row] = (uint8_t)value;
  } else if (c->width == 4) {
    if (c->step && c->step->head) point(c->step, row, (int32_t)old, (int32_t)value);
    c->i[row] = (int32_t)value;
  } else {
    if (value < c->low || value > c->high) e->status = OUT_OF_BOUNDS;
    c->q[row] = value;
  }
}

/* ---------------------------------------------------------------- expressions: a stack machine */

enum Op {
  END, CONST, ME, GO, ROW, LOAD1, LOAD4, LOAD8, OWN1, OWN4, OWN8, AT1, AT4, AT8,
  NOT, LESS, EQUAL, GREATER, ADD, SUBTRACT, MULTIPLY, KNOWN, IF, JUMP, NUM_OPS
};
enum { MOST_DEPTH = 48 };

typedef struct {
  int32_t op, jump;
  union { int64_t value; const uint8_t *b; const int32_t *i; const int64_t *q; };
  const int32_t *to;
} Code;

/* Numbers stay within 62 bits: delta.py bounds every result by the bounds of columns. A row that is
 * none has the value 0 in every column. */
static int64_t eval(const Code *code, int32_t x) {
  int64_t stack[MOST_DEPTH + 2], *top = stack;
  int32_t y = x;
  *top = 0;
  for (const Code *c = code;; c++) {
    switch (c->op) {
      case CONST: *++top = c->value; break;
      case ME: y = x; break;
      case GO: y = y < 0 ? -1 : c->to ? c->to[y] : 0; break;
      case ROW: *++top = y; break;
      case LOAD1: *++top = y < 0 ? 0 : c->b[y]; break;
      case LOAD4: *++top = y < 0 ? 0 : c->i[y]; break;
      case LOAD8: *++top = y < 0 ? 0 : c->q[y]; break;
      case OWN1: *++top = c->b[x]; break;
      case OWN4: *++top = c->i[x]; break;
      case OWN8: *++top = c->q[x]; break;
      case AT1: *++top = c->b[c->to ? c->to[x] : 0]; break; /* along one step that always leads on */
      case AT4: *++top = c->i[c->to ? c->to[x] : 0]; break;
      case AT8: *++top = c->q[c->to ? c->to[x] : 0]; break;
      case NOT: *top = !*top; break;
      case LESS: top--, *top = top[0] < top[1]; break;
      case EQUAL: top--, *top = top[0] == top[1]; break;
      case GREATER: top--, *top = top[0] > top[1]; break;
      case ADD: top--, *top = (int64_t)((uint64_t)top[0] + (uint64_t)top[1]); break;
      case SUBTRACT: top--, *top = (int64_t)((uint64_t)top[0] - (uint64_t)top[1]); break;
      case MULTIPLY: top--, *top = (int64_t)((uint64_t)top[0] * (uint64_t)top[1]); break;
      case KNOWN: *top = *top >= 0; break;
      case IF:
        if (!*top--) c += c->jump;
        break;
      case JUMP: c += c->jump; break;
      default: return *top;
    }
  }
}

/* ---------------------------------------------------------------- hash tables of groups */

struct Hash {
  int num_keys;
  int32_t room, used;
  int64_t *keys;      /* of a group: its keys */
  int32_t *slots, *references;
  uint64_t mask;
  Rows free, dead;    /* groups that may be used again; those that nobody was in at some moment */
};

static uint64_t hash_of(const Hash *h, const int64_t *keys) {
  uint64_t mixed = 0;
  for (int k = 0; k < h->num_keys; k++) {
    mixed = (mixed ^ (uint64_t)keys[k]) * UINT64_C(0x9E3779B97F4A7C15);
    mixed ^= mixed >> 29;
  }
  return mixed & h->mask;
}

static uint64_t slot_of(const Hash *h, const int64_t *keys) { /* where it is, or would be put */
  uint64_t slot = hash_of(h, keys);
  while (h->slots[slot] >= 0
         && memcmp(h->keys + (int64_t)h->slots[slot] * h->num_keys, keys, (size_t)h->num_keys * sizeof *keys))
    slot = (slot + 1) & h->mask;
  return slot;
}

static int32_t hash_find(const Hash *h, int64_t key) { return h->slots[slot_of(h, &key)]; }

static int32_t hash_add(Engine *e, Hash *h, const int64_t *keys) {
  uint64_t slot = slot_of(h, keys);
  if (h->slots[slot] < 0) {
    int32_t group = h->free.n ? h->free.at[--h->free.n] : h->used++;
    if (group >= h->room) stop(e, NO_MEMORY);
    memcpy(h->keys + (int64_t)group * h->num_keys, keys, (size_t)h->num_keys * sizeof *keys);
    h->slots[slot] = group;
  }
  return h->slots[slot];
}

static void hash_drop(Hash *h, int32_t group) { /* later entries of its chain move up */
  uint64_t hole = slot_of(h, h->keys + (int64_t)group * h->num_keys);
  for (uint64_t slot = (hole + 1) & h->mask; h->slots[slot] >= 0; slot = (slot + 1) & h->mask) {
    uint64_t home = hash_of(h, h->keys + (int64_t)h->slots[slot] * h->num_keys);
    if (((slot - home) & h->mask) >= ((slot - hole) & h->mask)) h->slots[hole] = h->slots[slot], hole = slot;
  }
  h->slots[hole] = -1;
}

/* ---------------------------------------------------------------- candidates */

typedef struct { /* a set that holds all rows where something is so, or was before this step */
  enum { WHERE, EQUALS, MET } kind;
  Column *column;   /* WHERE: of truth values, or of rows: whether there is one; EQUALS: the number at the graph; MET: of rows */
  int value;
  Path path;        /* WHERE: to the column, by fixed steps, or of the graph */
  Hash *hash;       /* EQUALS: rows by what is compared with that number, */
  Column *groups;   /* and the group of each */
} Atom;

typedef struct { int num_atoms; Atom *atoms; int64_t turn; } Guard; /* their union */

typedef struct {
  Column *column;
  Path path;
  int num_guards, *guards; /* which of the guards stand beside it */
  int chosen;
} Input;

typedef struct { int num_inputs, num_guards; Input *inputs; Guard *guards; } Inputs;

static double cost_of(const Atom *a, double most) {
  const Column *c = a->column;
  double total = 0;
  switch (a->kind) {
    case WHERE:
      total = cost(&a->path, c->where[a->value]->rows, c->where[a->value]->n);
      if (c->delta.n > 64) return total + cost(&a->path, c->delta.at, c->delta.n);
      for (int64_t i = 0; i < c->delta.n && total < most; i++)
        if (holds(c, c->delta.at[i]) != a->value) total += cost(&a->path, &c->delta.at[i], 1);
      return total;
    case EQUALS: {
      int32_t here = hash_find(a->hash, c->q[0]), there = c->delta.n ? hash_find(a->hash, c->old) : -1;
      if (here >= 0) total += a->groups->step->count[here];
      if (there >= 0) total += a->groups->step->count[there];
      return total + (double)a->groups->delta.n;
    }
    default: return 2 * (double)c->delta.n;
  }
}

static inline void push_known(Engine *e, Rows *out, int32_t row) {
  if (row >= 0) push(e, out, row);
}

static void rows_of(Engine *e, const Atom *a, Rows *out) {
  const Column *c = a->column;
  switch (a->kind) {
    case WHERE:
      sources_of(e, &a->path, c->where[a->value]->rows, c->where[a->value]->n, out);
      for (int64_t i = 0; i < c->delta.n; i++)
        if (holds(c, c->delta.at[i]) != a->value) sources_of(e, &a->path, &c->delta.at[i], 1, out);
      return;
    case EQUALS: {
      const Step *s = a->groups->step;
      int32_t here = hash_find(a->hash, c->q[0]), there = c->delta.n ? hash_find(a->hash, c->old) : -1;
      for (int32_t row = here < 0 ? -1 : s->head[here]; row >= 0; row = s->next[row]) push(e, out, row);
      for (int32_t row = there < 0 ? -1 : s->head[there]; row >= 0; row = s->next[row]) push(e, out, row);
      for (int64_t i = 0; i < a->groups->delta.n; i++) push(e, out, a->groups->delta.at[i]);
      return;
    }
    default:
      for (int64_t i = 0; i < c->delta.n; i++) {
        push_known(e, out, c->was.at[i]);
        push_known(e, out, c->i[c->delta.at[i]]);
      }
  }
}

/* The rows that may have changed, some of them twice; 0: take all. */
static int candidates(Engine *e, Inputs *given, int32_t all, Rows *out) {
  double total = 0;
  out->n = 0;
  e->turn++;
  for (int i = 0; i < given->num_inputs; i++) {
    Input *in = &given->inputs[i];
    in->chosen = -2;
    if (!in->column->delta.n) continue;
    if (all == 1) return 0;
    double best = cost(&in->path, in->column->delta.at, in->column->delta.n);
    in->chosen = -1;
    for (int j = 0; j < in->num_guards && best > 1; j++) {
      const Guard *guard = &given->guards[in->guards[j]];
      double sum = 0;
      if (guard->turn != e->turn) /* else its rows are taken anyway */
        for (int k = 0; k < guard->num_atoms && sum <= best; k++) sum += cost_of(&guard->atoms[k], best + 1);
      if (sum <= best) best = sum, in->chosen = in->guards[j];
    }
    if (in->chosen >= 0) given->guards[in->chosen].turn = e->turn;
    total += best;
    if (total >= all) return 0;
  }
  e->turn++;
  for (int i = 0; i < given->num_inputs; i++) {
    const Input *in = &given->inputs[i];
    if (in->chosen == -1) sources_of(e, &in->path, in->column->delta.at, in->column->delta.n, out);
    if (in->chosen < 0 || given->guards[in->chosen].turn == e->turn) continue;
    Guard *guard = &given->guards[in->chosen];
    guard->turn = e->turn;
    for (int k = 0; k < guard->num_atoms; k++) rows_of(e, &guard->atoms[k], out);
  }
  return 1;
}

/* ---------------------------------------------------------------- Rule */

struct Rule {
  Column *target;
  Code *code;
  Inputs inputs;
  const Code *far[4]; /* loads of other rows: fetched ahead, for memory is slow */
  int num_far;
  int at_end;         /* of the state: values take effect together, at the end of a step */
  Rows found;
  int64_t *values, room;
};

static inline void derive(Engine *e, Rule *r, int32_t row) {
  e->asked++;
  int64_t value = eval(r->code, row);
  if (value == value_of(r->target, row)) return;
  if (!r->at_end) {
    set_value(e, r->target, row, value);
    return;
  }
  push(e, &r->found, row);
  if (r->found.n > r->room) {
    r->values = resized(e, r->values, r->found.room, sizeof *r->values);
    r->room = r->found.room;
  }
  r->values[r->found.n - 1] = value;
}

static void run_rule(Engine *e, Rule *r, int everything) {
  if (!r->at_end) clear(r->target);
  Rows *work = &e->work;
  if (everything || !candidates(e, &r->inputs, r->target->n, work)) {
    for (int32_t row = 0; row < r->target->n; row++) derive(e, r, row);
    return;
  }
  for (int64_t i = 0; i < work->n && work->n > 1; i++) {
    PREFETCH(r->target->b + (int64_t)work->at[i] * r->target->width);
    for (int side = 0; side < 2; side++)
      if (r->target->where[side]) PREFETCH(&r->target->where[side]->place[work->at[i]]);
  }
  for (int64_t i = 0; i < work->n && r->num_far && work->n > 1; i++)
    for (int j = 0; j < r->num_far; j++) {
      const Code *c = r->far[j];
      PREFETCH(c->b + (int64_t)c->to[work->at[i]] * (c->op == AT1 ? 1 : c->op == AT4 ? 4 : 8));
    }
  for (int64_t i = 0; i < work->n; i++) derive(e, r, work->at[i]);
}

static void commit(Engine *e, Rule *r) {
  clear(r->target);
  for (int64_t i = 0; i < r->found.n; i++) set_value(e, r->target, r->found.at[i], r->values[i]);
  r->found.n = 0;
}

/* ---------------------------------------------------------------- Hash */

struct HashRule {
  Hash *hash;
  Column *target;
  Code **keys;
  Inputs inputs;
};

static void run_hash(Engine *e, HashRule *r, int everything) {
  Hash *h = r->hash;
  int64_t keys[8];
  clear(r->target);
  for (int64_t i = 0; i < h->dead.n; i++) { /* a group may be listed twice, or be in use again */
    int32_t group = h->dead.at[i];
    if (h->references[group]) continue;
    hash_drop(h, group);
    push(e, &h->free, group);
    h->references[group] = -1;
  }
  h->dead.n = 0;
  int all = everything || !candidates(e, &r->inputs, r->target->n, &e->work);
  int64_t n = all ? r->target->n : e->work.n;
  e->asked += n;
  for (int64_t i = 0; i < n; i++) {
    int32_t row = all ? (int32_t)i : e->work.at[i];
    for (int k = 0; k < h->num_keys; k++) keys[k] = eval(r->keys[k], row);
    int32_t group = hash_add(e, h, keys), old = r->target->i[row];
    if (group == old) continue;
    if (h->references[group] < 0) h->references[group] = 0;
    h->references[group]++;
    if (old >= 0 && !--h->references[old]) push(e, &h->dead, old);
    set_value(e, r->target, row, group);
  }
}

/* ---------------------------------------------------------------- Count */

struct Count {
  Column *mark; /* NULL: all rows count */
  int value;    /* of the mark, where a row counts */
  int32_t rows, groups;
  Path from;    /* from a row to its mark, by fixed steps; no steps where rows move between groups */
  Path group;
  Inputs inputs; /* what moves rows between groups */
  int32_t *counted; /* of a row that may move: the group that it counts in, or -1 */
  int32_t *many;
  int64_t *turn;    /* of a group: when it was last touched */
  Column *target;   /* how many, or of truth values whether any */
};

static inline void add(Engine *e, Count *c, int32_t group, int by) {
  e->asked++;
  if (group < 0) return;
  c->many[group] += by;
  if (c->turn[group] != e->turn) c->turn[group] = e->turn, push(e, &e->touched, group);
}

static inline void recount(Engine *e, Count *c, int32_t row) {
  e->asked++;
  int counts = !c->mark || c->mark->b[row] == c->value;
  int32_t group = counts ? walk(&c->group, row) : -1;
  if (group == c->counted[row]) return;
  add(e, c, c->counted[row], -1);
  add(e, c, group, 1);
  c->counted[row] = group;
}

static void run_count(Engine *e, Count *c, int everything) {
  Rows *work = &e->work;
  clear(c->target);
  int moves = c->counted && !everything && !candidates(e, &c->inputs, c->rows, work);
  int all = everything || moves;
  if (!c->counted) work->n = 0;
  e->turn++;
  e->touched.n = 0;
  if (c->counted) {
    for (int64_t i = 0; i < (all ? c->rows : work->n); i++) recount(e, c, all ? (int32_t)i : work->at[i]);
    for (int64_t i = 0; !all && c->mark && i < c->mark->delta.n; i++) recount(e, c, c->mark->delta.at[i]);
  } else if (all) {
    for (int32_t row = 0; row < c->rows; row++)
      if (!c->mark || c->mark->b[walk(&c->from, row)] == c->value) add(e, c, walk(&c->group, row), 1);
  } else if (c->mark) {
    for (int64_t i = 0; !c->from.n && i < c->mark->delta.n; i++) fetch(&c->group, c->mark->delta.at[i]);
    for (int64_t i = 0; i < c->mark->delta.n; i++) {
      int32_t marked = c->mark->delta.at[i];
      int by = c->mark->b[marked] == c->value ? 1 : -1;
      if (!c->from.n) {
        add(e, c, walk(&c->group, marked), by);
        continue;
      }
      work->n = 0;
      sources_of(e, &c->from, &marked, 1, work);
      for (int64_t j = 0; j < work->n; j++) add(e, c, walk(&c->group, work->at[j]), by);
    }
  }
  for (int64_t i = 0; i < e->touched.n; i++) {
    int32_t group = e->touched.at[i];
    set_value(e, c->target, group, c->target->width == 1 ? c->many[group] > 0 : c->many[group]);
  }
}

/* ---------------------------------------------------------------- First: a tree of bits, and heaps */

typedef struct { uint64_t *level[6]; int64_t words[6]; int levels; } Bits; /* 64 branches at each node */

static void bits_make(Engine *e, Bits *b, int64_t n) {
  do {
    n = (n + 63) / 64;
    b->words[b->levels] = n, b->level[b->levels++] = zeros(e, n, sizeof(uint64_t));
  } while (n > 1);
}

static inline int bits_has(const Bits *b, int64_t i) { return b->level[0][i >> 6] >> (i & 63) & 1; }

static void bits_set(Bits *b, int64_t i) {
  for (int l = 0; l < b->levels; l++, i >>= 6) {
    uint64_t before = b->level[l][i >> 6];
    b->level[l][i >> 6] = before | UINT64_C(1) << (i & 63);
    if (before) return;
  }
}

static void bits_clear(Bits *b, int64_t i) {
  for (int l = 0; l < b->levels; l++, i >>= 6)
    if (b->level[l][i >> 6] &= ~(UINT64_C(1) << (i & 63))) return;
}

static inline int lowest_bit(uint64_t word) {
#ifdef __GNUC__
  return __builtin_ctzll(word);
#else
  int place = 0;
  while (!(word >> place & 1)) place++;
  return place;
#endif
}

static int64_t bits_next(const Bits *b, int64_t i) { /* the first that is set, from i on; or -1 */
  for (int l = 0; l < b->levels && i >> 6 < b->words[l]; l++) {
    uint64_t rest = b->level[l][i >> 6] >> (i & 63);
    if (rest) {
      for (i += lowest_bit(rest); l--;) i = i * 64 + lowest_bit(b->level[l][i]);
      return i;
    }
    i = (i >> 6) + 1;
  }
  return -1;
}

typedef struct { int64_t key; int32_t row; } Entry;
typedef struct { Entry *at; int32_t n, room; } Heap; /* 4 branches at each node */

struct First {
  Column *mark; /* NULL: all rows are marked */
  int value;
  int32_t rows, groups;
  Path group;
  Code **keys;
  int num_keys, sign, sign_of_row; /* -1: the greatest comes first */
  int is_distinct;                 /* no two rows of a group are equal in all keys */
  Inputs inputs;                   /* what keys and groups are made of, where that changes */
  Column *first, *second, *least;  /* least: of a row, whether it ties for the first of its group */
  int is_fixed;
  Bits *bits, *runs; int32_t *place, *sorted, *begin; /* fixed: rows by group and keys; where equal ones begin */
  Heap *heap; int32_t *in_group, *where; int64_t *key_of; /* else: heaps, where a row is in its own */
  uint8_t *is_flagged; /* whether a row ties for the first */
  Step ties;           /* the same as lists, by group */
  Rows entered, flipped;
  int64_t *turn;
};

static inline int is_in(const First *f, int32_t row) {
  return f->is_fixed ? bits_has(f->bits, f->place[row]) : f->in_group[row] >= 0;
}

static int32_t group_of(const First *f, int32_t row) {
  return !f->is_fixed ? f->in_group[row] : is_in(f, row) ? walk(&f->group, row) : -1;
}

static int ties(const First *f, int32_t a, int32_t b) { /* two rows of one group */
  if (a == b) return 1;
  if (f->is_distinct) return 0;
  if (f->is_fixed) {
    int32_t low = f->place[a], high = f->place[b];
    int64_t next = low < high ? bits_next(f->runs, low + 1) : bits_next(f->runs, high + 1);
    return next < 0 || next > (low < high ? high : low);
  }
  for (int k = 0; k < f->num_keys; k++)
    if (f->key_of[(int64_t)a * f->num_keys + k] != f->key_of[(int64_t)b * f->num_keys + k]) return 0;
  return 1;
}

static inline int comes_before(const First *f, Entry a, Entry b) {
  if (a.key != b.key) return a.key < b.key;
  for (int k = 1; k < f->num_keys; k++) {
    int64_t one = f->key_of[(int64_t)a.row * f->num_keys + k], other = f->key_of[(int64_t)b.row * f->num_keys + k];
    if (one != other) return one < other;
  }
  return f->sign_of_row > 0 ? a.row < b.row : a.row > b.row;
}

static void heap_put(First *f, Heap *h, int32_t i, Entry entry) { /* at i, or as far up as it goes */
  for (; i && comes_before(f, entry, h->at[(i - 1) / 4]); i = (i - 1) / 4)
    h->at[i] = h->at[(i - 1) / 4], f->where[h->at[i].row] = i;
  h->at[i] = entry, f->where[entry.row] = i;
}

static void heap_add(Engine *e, First *f, Heap *h, int32_t row) {
  if (h->n == h->room) {
    int32_t room = h->room ? 2 * h->room : 4;
    h->at = resized(e, h->at, room, sizeof *h->at);
    h->room = room;
  }
  heap_put(f, h, h->n++, (Entry){f->num_keys ? f->key_of[(int64_t)row * f->num_keys] : 0, row});
}

static void heap_drop(First *f, Heap *h, int32_t row) {
  int32_t i = f->where[row], child;
  Entry last = h->at[--h->n];
  if (last.row == row) return;
  while ((child = 4 * i + 1) < h->n) {
    int32_t least = child, end = child + 4 < h->n ? child + 4 : h->n;
    for (int32_t j = child + 1; j < end; j++)
      if (comes_before(f, h->at[j], h->at[least])) least = j;
    if (!comes_before(f, h->at[least], last)) break;
    h->at[i] = h->at[least], f->where[h->at[i].row] = i, i = least;
  }
  heap_put(f, h, i, last);
}

static int32_t lowest(const First *f, int32_t group, int32_t after) { /* after: the first, for the second */
  if (f->is_fixed) {
    int64_t i = bits_next(f->bits, after < 0 ? f->begin[group] : f->place[after] + 1);
    return i >= 0 && i < f->begin[group + 1] ? f->sorted[i] : -1;
  }
  const Heap *h = &f->heap[group];
  if (after < 0) return h->n ? h->at[0].row : -1;
  int32_t best = 1;
  for (int32_t i = 2; i < 5 && i < h->n; i++)
    if (comes_before(f, h->at[i], h->at[best])) best = i;
  return h->n > 1 ? h->at[best].row : -1;
}

static void flag(Engine *e, First *f, int32_t group, int32_t row, int ties) {
  if (f->is_flagged[row] == ties) return;
  f->is_flagged[row] = (uint8_t)ties;
  push(e, &f->flipped, row);
  e->asked++;
  point(&f->ties, row, ties ? -1 : group, ties ? group : -1);
}

static void flag_ties(Engine *e, First *f, int32_t group, int32_t i, int32_t first) { /* from i down a heap */
  const Heap *h = &f->heap[group];
  if (i >= h->n || !ties(f, h->at[i].row, first)) return;
  flag(e, f, group, h->at[i].row, 1);
  for (int32_t child = 4 * i + 1; child <= 4 * i + 4; child++) flag_ties(e, f, group, child, first);
}

static void refresh(Engine *e, First *f, int32_t group) { /* the first of a group whose rows changed */
  int32_t first = lowest(f, group, -1);
  if (f->least) {
    int32_t tied = f->ties.head[group]; /* rows that leave are unflagged, so the others are as they were */
    if (tied < 0 || first < 0 || !ties(f, tied, first)) {
      while (f->ties.head[group] >= 0) flag(e, f, group, f->ties.head[group], 0);
      if (first >= 0 && f->is_fixed && !f->is_distinct) {
        for (int64_t i = f->place[first]; i >= 0 && i < f->begin[group + 1] && ties(f, f->sorted[i], first);
             i = bits_next(f->bits, i + 1))
          flag(e, f, group, f->sorted[i], 1);
      } else if (first >= 0 && f->is_distinct) {
        flag(e, f, group, first, 1);
      } else if (first >= 0) {
        flag_ties(e, f, group, 0, first);
      }
    }
  }
  if (f->first) set_value(e, f->first, group, first);
  if (f->second) set_value(e, f->second, group, first < 0 ? -1 : lowest(f, group, first));
}

static inline void touch(Engine *e, First *f, int32_t group) {
  if (f->turn[group] != e->turn) f->turn[group] = e->turn, push(e, &e->touched, group);
}

static void place(Engine *e, First *f, int32_t row) { /* in the group where it belongs now, by its keys */
  int is_marked = !f->mark || f->mark->b[row] == f->value;
  e->asked++;
  if (f->is_fixed) {
    if (bits_has(f->bits, f->place[row]) == is_marked) return;
    int32_t group = walk(&f->group, row);
    if (group < 0) return;
    touch(e, f, group);
    if (is_marked) {
      bits_set(f->bits, f->place[row]);
      if (f->least) push(e, &f->entered, row);
    } else {
      bits_clear(f->bits, f->place[row]);
      if (f->least) flag(e, f, group, row, 0);
    }
    return;
  }
  int64_t keys[8];
  int64_t *own = f->key_of + (int64_t)row * f->num_keys;
  int32_t group = is_marked ? walk(&f->group, row) : -1, old = f->in_group[row];
  if (group < 0 && old < 0) return;
  int is_same = group == old;
  for (int k = 0; k < f->num_keys && group >= 0; k++) {
    keys[k] = f->sign * eval(f->keys[k], row);
    is_same &= keys[k] == own[k];
  }
  if (is_same) return;
  if (old >= 0) {
    heap_drop(f, &f->heap[old], row);
    if (f->least) flag(e, f, old, row, 0);
    touch(e, f, old);
  }
  f->in_group[row] = group;
  if (group < 0) return;
  memcpy(own, keys, (size_t)f->num_keys * sizeof *keys);
  heap_add(e, f, &f->heap[group], row);
  if (f->least) push(e, &f->entered, row);
  touch(e, f, group);
}

/* Fixed keys and groups are sorted once, by one number for the group and all keys. Where it would
 * outgrow 64 bits, rows are sorted by what it holds, the last keys, and it begins anew. */
typedef struct { uint64_t code; int32_t row, rank; } Coded; /* rank: by the codes before */

static void sort_by_code(Coded *at[2], int32_t n) { /* radix sort: each digit keeps the order so far */
  enum { DIGIT = 11, SPAN = 1 << DIGIT };
  uint64_t differ = 0;
  for (int32_t i = 0; i < n; i++) differ |= at[0][i].code ^ at[0][0].code;
  for (int shift = 0; shift < 64; shift += DIGIT) {
    int32_t start[SPAN + 1] = {0};
    if (!(differ >> shift & (SPAN - 1))) continue;
    for (int32_t i = 0; i < n; i++) start[(at[0][i].code >> shift & (SPAN - 1)) + 1]++;
    for (int d = 0; d < SPAN; d++) start[d + 1] += start[d];
    for (int32_t i = 0; i < n; i++) at[1][start[at[0][i].code >> shift & (SPAN - 1)]++] = at[0][i];
    Coded *swap = at[0];
    at[0] = at[1], at[1] = swap;
  }
  Coded before = at[0][0];
  for (int32_t i = 0, rank = 0; i < n; i++) {
    Coded now = at[0][i];
    rank += now.code != before.code || now.rank != before.rank;
    at[0][i].code = 0, at[0][i].rank = rank, before = now;
  }
}

static void sort_rows(Engine *e, First *f) {
  int32_t n = f->rows;
  uint64_t span = 1;
  Coded *at[2] = {zeros(e, n, sizeof(Coded)), zeros(e, n, sizeof(Coded))};
  for (int32_t i = 0; i < n; i++) at[0][i].row = f->sign_of_row > 0 ? i : n - 1 - i;
  for (int k = f->num_keys; k >= 0; k--) { /* from the last key to the first, then the group */
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int32_t i = 0; i < n; i++) {
      int32_t row = at[0][i].row;
      int64_t key = k ? f->sign * eval(f->keys[k - 1], row) : walk(&f->group, row);
      if (!k && key < 0) key = f->groups; /* in no group: after all of them */
      at[1][i].code = (uint64_t)key;
      low = key < low ? key : low, high = key > high ? key : high;
    }
    uint64_t width = (uint64_t)high - (uint64_t)low;
    if (width >= UINT64_MAX / span) {
      sort_by_code(at, n);
      span = 1, k++;
      continue;
    }
    for (int32_t i = 0; i < n; i++) at[0][i].code += (at[1][i].code - (uint64_t)low) * span;
    span *= width + 1;
  }
  sort_by_code(at, n);
  for (int32_t i = 0; i < n; i++) {
    int32_t group = walk(&f->group, i);
    f->begin[(group < 0 ? f->groups : group) + 1]++;
    f->sorted[i] = at[0][i].row, f->place[f->sorted[i]] = i;
    if (f->runs && i && at[0][i].rank != at[0][i - 1].rank) bits_set(f->runs, i);
  }
  for (int32_t g = 0; g <= f->groups; g++) f->begin[g + 1] += f->begin[g];
  release(e, at[0]), release(e, at[1]);
}

static void run_first(Engine *e, First *f, int everything) {
  if (everything && f->is_fixed) sort_rows(e, f);
  clear(f->first), clear(f->second), clear(f->least);
  int all = everything || (!f->is_fixed && !candidates(e, &f->inputs, f->rows, &e->work));
  if (f->is_fixed) e->work.n = 0;
  e->turn++;
  e->touched.n = f->entered.n = f->flipped.n = 0;
  if (all)
    for (int32_t row = 0; row < f->rows; row++) place(e, f, row);
  for (int64_t i = 0; !all && f->mark && i < f->mark->delta.n; i++) {
    int32_t row = f->mark->delta.at[i];
    PREFETCH(f->is_fixed ? &f->place[row] : &f->in_group[row]);
    fetch(&f->group, row);
    if (f->least) PREFETCH(&f->is_flagged[row]), PREFETCH(&f->ties.previous[row]), PREFETCH(&f->ties.next[row]), PREFETCH(&f->least->b[row]);
  }
  for (int64_t i = 0; !all && i < e->work.n; i++) place(e, f, e->work.at[i]);
  for (int64_t i = 0; !all && f->mark && i < f->mark->delta.n; i++) place(e, f, f->mark->delta.at[i]);
  for (int64_t i = 0; i < e->touched.n; i++) refresh(e, f, e->touched.at[i]);
  for (int64_t i = 0; i < f->entered.n; i++) {
    int32_t row = f->entered.at[i], group = group_of(f, row);
    if (group >= 0 && f->ties.head[group] >= 0 && ties(f, row, f->ties.head[group])) flag(e, f, group, row, 1);
  }
  for (int64_t i = 0; f->least && i < f->flipped.n; i++)
    set_value(e, f->least, f->flipped.at[i], f->is_flagged[f->flipped.at[i]]);
}

/* ---------------------------------------------------------------- steps */

static void look(Engine *e, int everything) {
  for (int64_t i = 0; i < e->num_views; i++) {
    const View *v = &e->views[i];
    switch (v->kind) {
      case RULE: run_rule(e, v->rule, everything); break;
      case COUNT: run_count(e, v->count, everything); break;
      case FIRST: run_first(e, v->first, everything); break;
      default: run_hash(e, v->hash, everything);
    }
  }
}

/* Looks once, before any step, so that columns hold what is seen at first. */
EXPORT int delta_look(Engine *e) {
  if (setjmp(e->trap)) return e->status;
  if (!e->has_looked) look(e, 1);
  e->has_looked = 1;
  return e->status;
}

/* Steps until the program asks for no more, or so many are taken: why it ended. RUNNING: so many rows
 * were gone through that the caller may want to see whether a key was pressed, and call again. */
EXPORT int delta_run(Engine *e, int32_t limit, int64_t rows) {
  if (e->status != RUNNING || delta_look(e) != RUNNING) return e->status;
  if (setjmp(e->trap)) return e->status;
  rows = rows < INT64_MAX - e->asked ? e->asked + rows : INT64_MAX;
  while (e->now < limit) {
    if (e->asked >= rows) return RUNNING;
    for (int64_t i = 0; i < e->num_state; i++) run_rule(e, e->state[i], !e->has_stepped);
    for (int64_t i = 0; i < e->num_state; i++) commit(e, e->state[i]);
    e->has_stepped = 1;
    if (e->status == OUT_OF_BOUNDS) return e->status;
    e->now++;
    look(e, 0);
    if (e->status == OUT_OF_BOUNDS) return e->status;
    if (e->asks >= 0 && !e->columns[e->asks]->b[0]) return e->status = BY_RULE;
  }
  return BY_LIMIT; /* may go on, to another limit */
}

EXPORT int delta_interface(void) { return INTERFACE; }

EXPORT int32_t delta_now(const Engine *e) { return e->now; }

EXPORT int64_t delta_asked(const Engine *e) { return e->asked; }

EXPORT int64_t delta_used(const Engine *e) { return (int64_t)e->used; }

/* Takes back the last look: it was only to ask whether to go on, and is no step. */
EXPORT void delta_finish(Engine *e) {
  for (int64_t i = 0; i < e->num_columns; i++) {
    Column *c = e->columns[i];
    Trace *t = c->trace;
    if (c->is_state) continue;
    for (int64_t j = 0; c->width == 1 && j < c->delta.n; j++) c->b[c->delta.at[j]] ^= 1;
    c->delta.n = 0;
    while (t && t->n && t->step[t->n - 1] == e->now) t->n--;
  }
}

EXPORT void *delta_column(Engine *e, int64_t column) { return e->columns[column]->any; }

/* How many changes a column has, and where they lie. */
EXPORT int64_t delta_trace(Engine *e, int64_t column, int32_t **steps, int32_t **rows, void **values) {
  const Trace *t = e->columns[column]->trace;
  if (!t) return 0;
  *steps = t->step, *rows = t->row, *values = t->value.any;
  return t->n;
}

EXPORT void delta_free(Engine *e) {
  if (!e) return;
  for (Block *block = e->blocks.next; block != &e->blocks;) {
    Block *next = block->next;
    free(block);
    block = next;
  }
  free(e);
}

/* ---------------------------------------------------------------- reading the description */

typedef struct { Engine *e; const int64_t *words; int64_t n, at; void **arrays; int64_t num_arrays; } Reader;

static int64_t word(Reader *r) {
  if (r->at >= r->n) stop(r->e, NOT_A_PROGRAM);
  return r->words[r->at++];
}

static int64_t between(Reader *r, int64_t least, int64_t most) {
  int64_t found = word(r);
  if (found < least || found > most) stop(r->e, NOT_A_PROGRAM);
  return found;
}

static int64_t size(Reader *r) { return between(r, 0, INT32_MAX - 2); }
static int64_t many(Reader *r) { return between(r, 0, 1 << 20); }
static void *array(Reader *r) { return r->arrays[between(r, 0, r->num_arrays - 1)]; }
static Step *a_step(Reader *r) { return r->e->steps[between(r, 0, r->e->num_steps - 1)]; }

static Column *a_column(Reader *r) { /* or none */
  int64_t column = between(r, -1, r->e->num_columns - 1);
  return column < 0 ? NULL : r->e->columns[column];
}

static Column *the_column(Reader *r) {
  Column *c = a_column(r);
  if (!c) stop(r->e, NOT_A_PROGRAM);
  return c;
}

static Hash *a_hash(Reader *r) { return r->e->hashes[between(r, 0, r->e->num_hashes - 1)]; }

static Path path(Reader *r) {
  Path p = {(int)between(r, 0, 64), NULL};
  p.steps = zeros(r->e, p.n, sizeof *p.steps);
  for (int i = 0; i < p.n; i++) p.steps[i] = a_step(r);
  return p;
}

static void list_sources(Engine *e, Step *s) { /* as lists, all of them empty */
  s->head = filled(e, s->targets, -1), s->count = filled(e, s->targets, 0);
  s->next = filled(e, s->sources, -1), s->previous = filled(e, s->sources, -1);
}

static void need_inverse(Engine *e, const Path *p) {
  for (int k = 0; k < p->n; k++) {
    Step *s = p->steps[k];
    if (s->kind == FIXED && !s->begin) {
      s->begin = filled(e, (int64_t)s->targets + 2, 0), s->list = filled(e, s->sources, 0);
      for (int32_t row = 0; row < s->sources; row++) s->begin[s->to[row] + 2]++;
      for (int32_t to = 0; to < s->targets; to++) s->begin[to + 2] += s->begin[to + 1];
      for (int32_t row = 0; row < s->sources; row++) s->list[s->begin[s->to[row] + 1]++] = row;
    } else if (s->kind == POINTER && !s->head) {
      list_sources(e, s);
      for (int32_t row = s->sources; row--;) point(s, row, -1, s->to[row]);
    }
  }
}

static Code *code(Reader *r) { /* [op, column or step or -1, value, step or jump] */
  int64_t n = many(r), depth = 0;
  Code *made = zeros(r->e, n + 1, sizeof *made);
  for (int64_t i = 0; i < n; i++) {
    Code *c = &made[i];
    c->op = (int32_t)between(r, CONST, NUM_OPS - 1);
    switch (c->op) {
      case CONST: c->value = word(r); break;
      case GO: c->to = a_step(r)->to; break;
      case LOAD1: case LOAD4: case LOAD8: case OWN1: case OWN4: case OWN8: case AT1: case AT4: case AT8: {
        const Column *column = the_column(r);
        int width = c->op == LOAD1 || c->op == OWN1 || c->op == AT1 ? 1 : c->op == LOAD4 || c->op == OWN4 || c->op == AT4 ? 4 : 8;
        if (column->width != width) stop(r->e, NOT_A_PROGRAM);
        c->b = column->b;
        if (c->op >= AT1) c->to = a_step(r)->to;
        break;
      }
      case IF: case JUMP: c->jump = (int32_t)between(r, 0, n - i - 1); break;
      default: break;
    }
    if (c->op == CONST || (c->op >= ROW && c->op <= AT8)) depth++;
    else if ((c->op >= LESS && c->op <= MULTIPLY) || c->op >= IF) depth--;
    if (depth > MOST_DEPTH || depth < -1) stop(r->e, NOT_A_PROGRAM);
  }
  return made; /* a last operation, END, is there as zeros */
}

static Code **codes(Reader *r, int64_t n) {
  Code **made = zeros(r->e, n, sizeof *made);
  for (int64_t i = 0; i < n; i++) made[i] = code(r);
  return made;
}

static void list_where(Engine *e, Column *c, int value) {
  if (c->where[value]) return;
  Set *s = c->where[value] = zeros(e, 1, sizeof *s);
  s->rows = filled(e, c->n, 0), s->place = filled(e, c->n, 0);
  for (int32_t row = 0; row < c->n; row++)
    if (holds(c, row) == value) set_add(s, row);
}

static Atom atom(Reader *r) {
  Atom a = {.kind = between(r, WHERE, MET), .column = the_column(r)};
  if (a.kind == WHERE ? a.column->width == 8 : a.column->width != (a.kind == EQUALS ? 8 : 4)) stop(r->e, NOT_A_PROGRAM);
  if (a.kind == WHERE) {
    a.value = (int)between(r, 0, 1);
    a.path = path(r);
    need_inverse(r->e, &a.path);
    list_where(r->e, a.column, a.value);
  } else if (a.kind == EQUALS) {
    a.hash = a_hash(r), a.groups = the_column(r);
    if (!a.groups->step || a.hash->num_keys != 1) stop(r->e, NOT_A_PROGRAM);
    need_inverse(r->e, &(Path){1, &a.groups->step});
  } else {
    a.column->keeps_old = 1;
  }
  return a;
}

static Inputs inputs(Reader *r) {
  Inputs made = {0};
  made.num_guards = (int)many(r);
  made.guards = zeros(r->e, made.num_guards, sizeof *made.guards);
  for (int i = 0; i < made.num_guards; i++) {
    Guard *guard = &made.guards[i];
    guard->num_atoms = (int)many(r);
    guard->atoms = zeros(r->e, guard->num_atoms, sizeof *guard->atoms);
    for (int j = 0; j < guard->num_atoms; j++) guard->atoms[j] = atom(r);
  }
  made.num_inputs = (int)many(r);
  made.inputs = zeros(r->e, made.num_inputs, sizeof *made.inputs);
  for (int i = 0; i < made.num_inputs; i++) {
    Input *in = &made.inputs[i];
    in->column = the_column(r);
    in->path = path(r);
    need_inverse(r->e, &in->path);
    in->num_guards = (int)many(r);
    in->guards = zeros(r->e, in->num_guards, sizeof *in->guards);
    for (int j = 0; j < in->num_guards; j++) in->guards[j] = (int)between(r, 0, made.num_guards - 1);
  }
  return made;
}

static Column *column(Reader *r) { /* rows, width, array or -1, what it begins as, traced, state, bounds */
  Column *c = zeros(r->e, 1, sizeof *c);
  c->n = (int32_t)size(r), c->width = (int)between(r, 1, 8);
  if (c->width != 1 && c->width != 4 && c->width != 8) stop(r->e, NOT_A_PROGRAM);
  int64_t given = between(r, -1, r->num_arrays - 1), fill = word(r);
  c->any = given >= 0 ? r->arrays[given] : fill ? (void *)filled(r->e, c->n, (int32_t)fill) : zeros(r->e, c->n, (size_t)c->width);
  if (given < 0 && fill && c->width != 4) stop(r->e, NOT_A_PROGRAM);
  if (between(r, 0, 1)) c->trace = zeros(r->e, 1, sizeof *c->trace);
  c->is_state = (int)between(r, 0, 1);
  c->low = word(r), c->high = word(r);
  return c;
}

static Step *step(Reader *r) { /* kind, sources, targets, array or column */
  Step *s = zeros(r->e, 1, sizeof *s);
  s->kind = between(r, TO_GRAPH, TO_FIRST);
  s->sources = (int32_t)size(r), s->targets = (int32_t)size(r);
  if (s->kind == FIXED) s->to = array(r);
  if (s->kind == POINTER || s->kind == TO_FIRST) {
    Column *c = the_column(r);
    if (c->width != 4 || c->n != s->sources) stop(r->e, NOT_A_PROGRAM);
    s->to = c->i, c->step = s;
  }
  for (int32_t row = 0; s->kind == FIXED && row < s->sources; row++)
    if (s->to[row] < 0 || s->to[row] >= s->targets) stop(r->e, NOT_A_PROGRAM);
  return s;
}

static Hash *hash(Reader *r) { /* number of keys, room */
  Hash *h = zeros(r->e, 1, sizeof *h);
  h->num_keys = (int)between(r, 1, 8), h->room = (int32_t)size(r);
  int64_t slots = 16;
  while (slots < 2 * (int64_t)h->room) slots *= 2;
  h->mask = (uint64_t)slots - 1;
  h->keys = zeros(r->e, (int64_t)h->room * h->num_keys, sizeof *h->keys);
  h->slots = filled(r->e, slots, -1), h->references = filled(r->e, h->room, 0);
  return h;
}

static Rule *rule(Reader *r, int at_end) { /* target, code, inputs */
  Rule *made = zeros(r->e, 1, sizeof *made);
  made->target = the_column(r), made->code = code(r), made->inputs = inputs(r), made->at_end = at_end;
  for (const Code *c = made->code; c->op != END && made->num_far < 4; c++)
    if (c->op >= AT1 && c->op <= AT8 && c->to) made->far[made->num_far++] = c;
  return made;
}

static Count *count(Reader *r) { /* mark, value, rows, groups, from, group, inputs, target */
  Count *c = zeros(r->e, 1, sizeof *c);
  c->mark = a_column(r), c->value = (int)between(r, 0, 1);
  c->rows = (int32_t)size(r), c->groups = (int32_t)size(r);
  c->from = path(r), c->group = path(r), c->inputs = inputs(r);
  c->target = the_column(r);
  need_inverse(r->e, &c->from);
  if (c->inputs.num_inputs) c->counted = filled(r->e, c->rows, -1);
  c->many = filled(r->e, c->groups, 0), c->turn = zeros(r->e, c->groups, sizeof *c->turn);
  return c;
}

static First *first(Reader *r) { /* mark, value, rows, groups, group, keys, signs, distinct, inputs, columns */
  First *f = zeros(r->e, 1, sizeof *f);
  f->mark = a_column(r), f->value = (int)between(r, 0, 1);
  f->rows = (int32_t)size(r), f->groups = (int32_t)size(r);
  f->group = path(r);
  f->num_keys = (int)between(r, 0, 8), f->keys = codes(r, f->num_keys);
  f->sign = (int)between(r, -1, 1), f->sign_of_row = (int)between(r, -1, 1), f->is_distinct = (int)between(r, 0, 1);
  f->inputs = inputs(r);
  f->first = a_column(r), f->second = a_column(r), f->least = a_column(r);
  f->is_fixed = !f->inputs.num_inputs;
  if (f->is_fixed) {
    f->bits = zeros(r->e, 1, sizeof *f->bits);
    bits_make(r->e, f->bits, f->rows);
    if (!f->is_distinct) f->runs = zeros(r->e, 1, sizeof *f->runs), bits_make(r->e, f->runs, f->rows);
    f->place = filled(r->e, f->rows, 0), f->sorted = filled(r->e, f->rows, 0);
    f->begin = filled(r->e, (int64_t)f->groups + 2, 0);
  } else {
    f->heap = zeros(r->e, f->groups, sizeof *f->heap);
    f->in_group = filled(r->e, f->rows, -1), f->where = filled(r->e, f->rows, 0);
    f->key_of = zeros(r->e, (int64_t)f->rows * f->num_keys, sizeof *f->key_of);
  }
  if (f->least) {
    f->is_flagged = zeros(r->e, f->rows, 1);
    f->ties.sources = f->rows, f->ties.targets = f->groups;
    list_sources(r->e, &f->ties);
  }
  f->turn = zeros(r->e, f->groups, sizeof *f->turn);
  Column *made[] = {f->first, f->second};
  for (int i = 0; i < 2; i++)
    if (made[i] && made[i]->step) made[i]->step->first = f;
  return f;
}

static HashRule *hash_rule(Reader *r) { /* hash, target, keys, inputs */
  HashRule *made = zeros(r->e, 1, sizeof *made);
  made->hash = a_hash(r), made->target = the_column(r);
  made->keys = codes(r, made->hash->num_keys), made->inputs = inputs(r);
  return made;
}

/* An engine for a program on a graph. words: the description. arrays: columns and steps, which must
 * live as long as it does. begin: the number of the first step. ceiling: the most bytes it may take.
 * NULL where the description is wrong or memory gives out. */
EXPORT Engine *delta_new(const int64_t *words, int64_t n, void **arrays, int64_t num_arrays, int32_t begin, int64_t ceiling) {
  Engine *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->blocks.previous = e->blocks.next = &e->blocks;
  e->ceiling = (size_t)ceiling, e->now = begin;
  Reader reader = {e, words, n, 0, arrays, num_arrays}, *r = &reader;
  if (setjmp(e->trap)) {
    delta_free(e);
    return NULL;
  }
  int64_t total = many(r);
  e->columns = zeros(e, total, sizeof *e->columns);
  while (e->num_columns < total) e->columns[e->num_columns] = column(r), e->num_columns++;
  total = many(r);
  e->steps = zeros(e, total, sizeof *e->steps);
  while (e->num_steps < total) e->steps[e->num_steps] = step(r), e->num_steps++;
  total = many(r);
  e->hashes = zeros(e, total, sizeof *e->hashes);
  while (e->num_hashes < total) e->hashes[e->num_hashes] = hash(r), e->num_hashes++;
  total = many(r);
  e->views = zeros(e, total, sizeof *e->views);
  while (e->num_views < total) {
    View *v = &e->views[e->num_views];
    v->kind = between(r, RULE, HASH);
    switch (v->kind) {
      case RULE: v->rule = rule(r, 0); break;
      case COUNT: v->count = count(r); break;
      case FIRST: v->first = first(r); break;
      default: v->hash = hash_rule(r);
    }
    e->num_views++;
  }
  total = many(r);
  e->state = zeros(e, total, sizeof *e->state);
  while (e->num_state < total) e->state[e->num_state] = rule(r, 1), e->num_state++;
  e->asks = between(r, -1, e->num_columns - 1);
  if (r->at != n) stop(e, NOT_A_PROGRAM);
  return e;
}
