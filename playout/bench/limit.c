/* The limit to approach: Connect Four and UCT in one hand-written C program.
 *
 * The same search as Settings(c=1.4, scale="raw", solver=False): every action once in shuffled order, then UCB1 with the
 * first maximum, one leaf and one uniform playout a simulation, children side by side in one block. It knows what a general
 * engine cannot: one game, two players, zero sum (one score a node), no options, nothing to check. Built and called by
 * limit.py. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

enum { COLUMNS = 7, ROWS = 6, HEIGHT = ROWS + 1 };

typedef struct {
    uint64_t discs[2];
    int moves, won;
} Board;

typedef struct {
    double score; /* of the player who chooses this node */
    int32_t visits, first;
    int8_t count, column;
} Node;

static inline uint64_t draw(uint64_t *word) {
    uint64_t x = *word;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *word = x;
}

static inline int below(uint64_t *word, int n) { return (int)(((draw(word) >> 32) * (uint64_t)n) >> 32); }

/* Without branches: whether there is a line cannot be foreseen, so a wrong guess would cost more than four shifts. */
static inline int four(uint64_t discs) {
    uint64_t up = discs & (discs >> 1), right = discs & (discs >> HEIGHT);
    uint64_t down = discs & (discs >> (HEIGHT - 1)), rise = discs & (discs >> (HEIGHT + 1));
    return ((up & (up >> 2)) | (right & (right >> 2 * HEIGHT)) | (down & (down >> 2 * (HEIGHT - 1))) |
            (rise & (rise >> 2 * (HEIGHT + 1)))) != 0;
}

static const uint64_t BOTTOM = 0x40810204081ULL; /* the lowest place of each column */

/* The places that a disc can fall to, one bit for each column that is not full. */
static inline uint64_t places(const Board *b) {
    return ((b->discs[0] | b->discs[1]) + BOTTOM) & BOTTOM * ((1 << ROWS) - 1);
}

static inline uint64_t nth(uint64_t bits, int n) {
#ifdef __BMI2__
    return _pdep_u64(1ULL << n, bits);
#else
    while (n--) bits &= bits - 1;
    return bits & -bits;
#endif
}

static inline void put(Board *b, uint64_t place) {
    uint64_t discs = b->discs[b->moves & 1] |= place;
    b->moves++;
    b->won = four(discs);
}

static inline int over(const Board *b) { return b->won || b->moves == ROWS * COLUMNS; }

static inline int choose(const Node *nodes, const Node *parent, double c) {
    int first = parent->first, last = first + parent->count, best = first;
    if (nodes[last - 1].visits == 0) {
        while (nodes[best].visits != 0) best++;
        return best;
    }
    double log_parent = log(parent->visits), heaviest = -INFINITY;
    for (int i = first; i < last; i++) {
        double inverse = 1.0 / nodes[i].visits, weight = nodes[i].score * inverse + c * sqrt(log_parent * inverse);
        if (weight > heaviest) heaviest = weight, best = i;
    }
    return best;
}

/* Returns 16 times the slots used, plus the column chosen; 0 when there is no memory. */
int64_t search(int64_t simulations, uint64_t seed, double c) {
    int64_t room = simulations * COLUMNS + COLUMNS + 1, used = 1;
    if (room > INT32_MAX) return 0;
    Node *nodes = calloc((size_t)room, sizeof *nodes);
    if (nodes == NULL) return 0;
    uint64_t word = seed * 0x9E3779B97F4A7C15ULL | 1;
    int path[ROWS * COLUMNS + 1], ids[COLUMNS + 1];
    for (int64_t s = 0; s < simulations; s++) {
        Board b = {{0, 0}, 0, 0};
        int node = 0, depth = 0, fresh = 0;
        path[0] = 0;
        while (!over(&b) && !fresh) {
            if (nodes[node].count == 0) {
                uint64_t open = places(&b);
                int count = 0;
                for (; open; open &= open - 1) ids[count++] = __builtin_ctzll(open) / HEIGHT;
                for (int i = count - 1; i > 0; i--) {
                    int j = below(&word, i + 1), kept = ids[i];
                    ids[i] = ids[j], ids[j] = kept;
                }
                for (int i = 0; i < count; i++) nodes[used + i].column = (int8_t)ids[i];
                nodes[node].first = (int32_t)used;
                nodes[node].count = (int8_t)count;
                used += count;
            }
            node = choose(nodes, &nodes[node], c);
            put(&b, places(&b) & 0x7fULL << nodes[node].column * HEIGHT);
            fresh = nodes[node].visits == 0;
            path[++depth] = node;
        }
        while (!over(&b)) {
            uint64_t open = places(&b);
            put(&b, nth(open, below(&word, __builtin_popcountll(open))));
        }
        /* Odd depths were chosen by player 0, even ones by player 1; the last to move has won, if anyone has. */
        double value = b.won ? (b.moves & 1 ? 1.0 : -1.0) : 0.0;
        for (int i = depth; i >= 0; i--) {
            nodes[path[i]].visits++;
            nodes[path[i]].score += i & 1 ? value : -value;
        }
    }
    int best = nodes[0].first;
    for (int i = best; i < nodes[0].first + nodes[0].count; i++)
        if (nodes[i].visits > nodes[best].visits) best = i;
    int64_t answer = 16 * used + nodes[best].column;
    free(nodes);
    return answer;
}
