// The states of recurrent layers: rollback, checkpoints, copies and saved bytes against a naive
// model that computes every state from the beginning of its text.
// LACUNA_PROPERTY_SEQUENCES sets the number of sequences (default: a few hundred). A failure prints
// its seed.

#include "engine/kv/state/state_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "engine/base/random.h"

namespace lacuna::test {
namespace {

std::shared_ptr<const StateModel> sampleModel() {
    StateModel model(4);
    model[0].shape = {.kind = MixerKind::DeltaNet,
                      .kernel = 4,
                      .keyHeads = 1,
                      .valueHeads = 2,
                      .keyDim = 3,
                      .valueDim = 2};
    model[1].shape = {.kind = MixerKind::ShortConvolution, .kernel = 3, .width = 5};
    model[2].shape = {.kind = MixerKind::Mamba2,
                      .kernel = 2,
                      .keyHeads = 1,
                      .valueHeads = 2,
                      .keyDim = 2,
                      .valueDim = 3};
    model[3].shape = {.kind = MixerKind::KimiDelta,
                      .kernel = 1,
                      .keyHeads = 1,
                      .valueHeads = 1,
                      .keyDim = 2,
                      .valueDim = 2};
    RandomStream random(5, 5);
    const auto fill = [&random](std::vector<float>& numbers, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            numbers.push_back(static_cast<float>(random.normal() * 0.5));
    };
    for (MixerWeights& one : model) fill(one.kernel, one.shape.kernel * one.shape.channels());
    fill(model[2].bias, model[2].shape.channels());
    fill(model[2].skip, 2);
    return std::make_shared<const StateModel>(std::move(model));
}

/// Inputs of a token: by layer columns and gates, functions of a number that no other token has.
struct TokenInputs {
    std::vector<float> columns;
    std::vector<float> gates;
};

TokenInputs inputsOf(std::uint64_t token, int layer, const MixerShape& shape) {
    RandomStream random(token, static_cast<std::uint64_t>(layer) + 100);
    TokenInputs inputs;
    for (std::int64_t i = 0; i < shape.channels(); ++i)
        inputs.columns.push_back(static_cast<float>(random.uniform() * 2 - 1));
    for (std::int64_t i = 0; i < shape.gates(); ++i)
        inputs.gates.push_back(static_cast<float>(0.2 + 0.8 * random.uniform()));
    return inputs;
}

struct Computed {
    LayerState state;
    std::vector<float> out;
};

/// Computes a text token by token from its beginning.
Computed computed(const MixerWeights& weights, int layer, const std::vector<std::uint64_t>& text) {
    const MixerShape& shape = weights.shape;
    Computed result;
    result.state.history.resize(static_cast<std::size_t>(shape.historyNumbers()));
    result.state.matrix.resize(static_cast<std::size_t>(shape.matrixNumbers()));
    std::vector<float> scratch(static_cast<std::size_t>(mixerScratch(shape, 1)));
    for (const std::uint64_t token : text) {
        const TokenInputs one = inputsOf(token, layer, shape);
        std::vector<float> out(static_cast<std::size_t>(shape.outputs()));
        runMixer(weights,
                 {.history = result.state.history.data(),
                  .columns = one.columns.data(),
                  .gates = one.gates.data(),
                  .matrix = result.state.matrix.data(),
                  .out = out.data(),
                  .tokens = 1},
                 scratch, nullptr);
        result.out.insert(result.out.end(), out.begin(), out.end());
        result.state.history.insert(result.state.history.end(), one.columns.begin(),
                                    one.columns.end());
        result.state.history.erase(result.state.history.begin(),
                                   result.state.history.begin() + shape.channels());
    }
    return result;
}

/// A store and the text that it must hold.
struct StorePair {
    std::unique_ptr<StateStore> store;
    std::vector<std::uint64_t> text;
};

void expectStates(const StorePair& pair) {
    pair.store->checkInvariants();
    ASSERT_EQ(pair.store->offset(), std::ssize(pair.text));
    for (int i = 0; i < pair.store->layers(); ++i)
        ASSERT_EQ(pair.store->layer(i),
                  computed(pair.store->model()[static_cast<std::size_t>(i)], i, pair.text).state)
            << "layer " << i;
}

/// Runs `layers` layers of an append of these tokens, checking the output of each.
void runLayers(StorePair& pair, const std::vector<std::uint64_t>& tokens, int layers,
               ThreadPool* pool) {
    std::vector<std::uint64_t> longer = pair.text;
    longer.insert(longer.end(), tokens.begin(), tokens.end());
    for (int i = 0; i < layers; ++i) {
        const MixerWeights& weights = pair.store->model()[static_cast<std::size_t>(i)];
        TokenInputs all;
        for (const std::uint64_t token : tokens) {
            const TokenInputs one = inputsOf(token, i, weights.shape);
            all.columns.insert(all.columns.end(), one.columns.begin(), one.columns.end());
            all.gates.insert(all.gates.end(), one.gates.begin(), one.gates.end());
        }
        std::vector<float> out(tokens.size() * static_cast<std::size_t>(weights.shape.outputs()));
        pair.store->runLayer(i, all.columns.data(), all.gates.data(), out.data(), pool);
        const std::vector<float> expected = computed(weights, i, longer).out;
        ASSERT_TRUE(std::equal(out.begin(), out.end(),
                               expected.end() - static_cast<std::ptrdiff_t>(out.size())))
            << "layer " << i;
    }
}

std::vector<std::uint64_t> freshTokens(std::size_t count) {
    static std::uint64_t next = 1;
    std::vector<std::uint64_t> tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(next++);
    return tokens;
}

void appendTokens(StorePair& pair, std::size_t count, ThreadPool* pool = nullptr) {
    const auto tokens = freshTokens(count);
    ASSERT_TRUE(pair.store->beginAppend(static_cast<int>(count)));
    runLayers(pair, tokens, pair.store->layers(), pool);
    pair.store->commitAppend();
    pair.text.insert(pair.text.end(), tokens.begin(), tokens.end());
}

StorePair emptyPair(const StateOptions& options, const StateCheckpoints& checkpoints = {0}) {
    StorePair pair{StateStore::create(sampleModel(), options).value(), {}};
    pair.store->limitCheckpoints(checkpoints);
    return pair;
}

std::vector<std::int64_t> positionsOf(const StateStore& store) {
    std::vector<std::int64_t> positions;
    for (const CheckpointPool::Kept& one : store.checkpoints()) positions.push_back(one.position());
    return positions;
}

std::int64_t checkpointSize(StateType type = StateType::Float32) {
    return CheckpointLayout(*sampleModel()).bytes(type);
}

TEST(StateStore, anyLengthWithinTheSpacing_isReachedWithTheSameBits) {
    for (int back = 0; back <= 8; ++back) {
        StorePair pair = emptyPair({.spacing = 8});
        appendTokens(pair, 30);
        appendTokens(pair, 1);
        ASSERT_GE(pair.store->rollbackLimit(), 8);
        ASSERT_TRUE(pair.store->rollback(back));
        pair.text.resize(pair.text.size() - static_cast<std::size_t>(back));
        expectStates(pair);
        appendTokens(pair, 5);
        expectStates(pair);
    }
}

TEST(StateStore, lengthOutOfReach_isRefusedWithTheTokensToReadAgain) {
    StorePair pair = emptyPair({.spacing = 4}, {checkpointSize(), StateType::Float32});
    ASSERT_TRUE(pair.store->requestCheckpoint(7));
    EXPECT_EQ(pair.store->checkpointGrowth(6), 0);
    EXPECT_EQ(pair.store->checkpointGrowth(7), checkpointSize());
    appendTokens(pair, 40);
    EXPECT_EQ(positionsOf(*pair.store), std::vector<std::int64_t>{7});
    EXPECT_EQ(pair.store->tokensAgain(20), 13);
    EXPECT_EQ(pair.store->tokensAgain(6), 6);
    EXPECT_EQ(pair.store->tokensAgain(7), 0);
    EXPECT_EQ(pair.store->tokensAgain(38), 0);
    const Status refused = pair.store->rollback(20);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(describe(refused.error()).find("13 tokens have to be read again"), std::string::npos);
    expectStates(pair);
    ASSERT_TRUE(pair.store->rollback(33));
    pair.text.resize(7);
    expectStates(pair);
    appendTokens(pair, 6);
    expectStates(pair);
    ASSERT_TRUE(pair.store->rollback(100));
    pair.text.clear();
    expectStates(pair);
    EXPECT_TRUE(pair.store->checkpoints().empty());
}

TEST(StateStore, leastUsefulCheckpoint_isEvicted) {
    StorePair pair = emptyPair({.spacing = 4}, {2 * checkpointSize(), StateType::Float32});
    appendTokens(pair, 20);
    ASSERT_TRUE(pair.store->requestCheckpoint(20));
    appendTokens(pair, 2);
    ASSERT_TRUE(pair.store->requestCheckpoint(22));
    appendTokens(pair, 18);
    ASSERT_TRUE(pair.store->requestCheckpoint(40));
    // Without 22 two tokens would be read again from 20, without the others 18 and 20.
    EXPECT_EQ(positionsOf(*pair.store), (std::vector<std::int64_t>{20, 40}));
    EXPECT_EQ(pair.store->bytes().requested, 2 * checkpointSize());
    pair.store->limitCheckpoints({checkpointSize(), StateType::Float32});
    EXPECT_EQ(positionsOf(*pair.store), std::vector<std::int64_t>{40}) << "of equal ones the older";
    const Status refused = emptyPair({.spacing = 4}).store->requestCheckpoint(0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
}

TEST(StateStore, WhereTextsPartedAndMessagesBeginIsKeptLongest) {
    StorePair pair = emptyPair({.spacing = 4}, {2 * checkpointSize(), StateType::Float32});
    ASSERT_TRUE(pair.store->requestCheckpoint(2, CheckpointReason::Divergence));
    ASSERT_TRUE(pair.store->requestCheckpoint(30, CheckpointReason::Regular));
    ASSERT_TRUE(pair.store->requestCheckpoint(38, CheckpointReason::Message));
    appendTokens(pair, 45);
    // 16 * 2 for the first, 28 for the second, 4 * 8 for the third, which then spares 36 tokens.
    EXPECT_EQ(positionsOf(*pair.store), (std::vector<std::int64_t>{2, 38}));
    ASSERT_TRUE(pair.store->requestCheckpoint(2, CheckpointReason::Message));
    EXPECT_EQ(pair.store->checkpoints().front().reason, CheckpointReason::Divergence);
}

TEST(StateStore, ACheckpointInEightBitsIsSmallerAndCloseToTheState) {
    StorePair pair = emptyPair({.spacing = 4}, {1000, StateType::Int8});
    ASSERT_TRUE(pair.store->requestCheckpoint(11));
    appendTokens(pair, 40);
    EXPECT_EQ(pair.store->bytes().requested, checkpointSize(StateType::Int8));
    EXPECT_LT(checkpointSize(StateType::Int8), checkpointSize());
    ASSERT_TRUE(pair.store->rollback(29));
    pair.text.resize(11);
    pair.store->checkInvariants();
    bool differs = false;
    for (int i = 0; i < pair.store->layers(); ++i) {
        const MixerWeights& weights = pair.store->model()[static_cast<std::size_t>(i)];
        const LayerState expected = computed(weights, i, pair.text).state;
        const LayerState found = pair.store->layer(i);
        EXPECT_EQ(found.history, expected.history) << "columns stay in float32";
        const auto width = static_cast<std::size_t>(weights.shape.valueDim);
        for (std::size_t at = 0; at < expected.matrix.size(); ++at) {
            const auto row =
                expected.matrix.begin() + static_cast<std::ptrdiff_t>(at / width * width);
            float largest = 0.0F;
            for (std::size_t j = 0; j < width; ++j)
                largest = std::max(largest, std::fabs(*(row + static_cast<std::ptrdiff_t>(j))));
            EXPECT_LE(std::fabs(found.matrix[at] - expected.matrix[at]), largest / 253);
            differs = differs || found.matrix[at] != expected.matrix[at];
        }
    }
    EXPECT_TRUE(differs);
}

// The recurrent layers of Qwen3.5-35B-A3B: the figure that is published is 62.8 MiB.
TEST(CheckpointLayout, BytesOfAPublishedModelAreThoseOfItsConfiguration) {
    StateModel model(30);
    for (MixerWeights& one : model)
        one.shape = {.kind = MixerKind::DeltaNet,
                     .kernel = 4,
                     .keyHeads = 16,
                     .valueHeads = 32,
                     .keyDim = 128,
                     .valueDim = 128};
    const CheckpointLayout layout(model);
    EXPECT_EQ(layout.bytes(StateType::Float32), 65'863'680);
    EXPECT_EQ(layout.bytes(StateType::Int8), 19'169'280);
}

TEST(StateStore, SavedCheckpointsAreThereAgain) {
    for (const StateType type : {StateType::Float32, StateType::Int8}) {
        StorePair pair = emptyPair({.spacing = 4}, {4000, type});
        ASSERT_TRUE(pair.store->requestCheckpoint(7, CheckpointReason::Divergence));
        ASSERT_TRUE(pair.store->requestCheckpoint(12));
        appendTokens(pair, 40);
        auto loaded = StateStore::load(pair.store->save(), sampleModel(), {.spacing = 4});
        ASSERT_TRUE(loaded) << describe(loaded.error());
        EXPECT_EQ(positionsOf(**loaded), (std::vector<std::int64_t>{7, 12}));
        EXPECT_EQ((*loaded)->checkpoints().front().reason, CheckpointReason::Divergence);
        EXPECT_EQ((*loaded)->bytes().requested, pair.store->bytes().requested);
        ASSERT_TRUE((*loaded)->rollback(33));
        ASSERT_TRUE(pair.store->rollback(33));
        for (int i = 0; i < pair.store->layers(); ++i)
            EXPECT_EQ((*loaded)->layer(i), pair.store->layer(i));
        EXPECT_FALSE((*loaded)->checkpoints().empty());
        (*loaded)->limitCheckpoints({0, type});
        EXPECT_TRUE((*loaded)->checkpoints().empty());
    }
}

TEST(StateStore, CopiesShareTheirCheckpoints) {
    StorePair pair = emptyPair({.spacing = 4}, {4000, StateType::Int8});
    ASSERT_TRUE(pair.store->requestCheckpoint(7));
    appendTokens(pair, 20);
    const auto copy = pair.store->clone().value();
    std::set<const void*> blocks;
    std::int64_t shared = 0;
    std::int64_t all = 0;
    pair.store->visitBlocks([&](const void* block, std::int64_t bytes) {
        blocks.insert(block);
        all += bytes;
    });
    EXPECT_EQ(all, pair.store->bytes().total());
    copy->visitBlocks([&](const void* block, std::int64_t bytes) {
        if (blocks.contains(block)) shared += bytes;
    });
    EXPECT_EQ(shared, copy->bytes().requested + copy->bytes().automatic);
}

TEST(StateStore, abortedAppend_leavesTheState) {
    StorePair pair = emptyPair({.spacing = 4});
    appendTokens(pair, 11);
    ASSERT_TRUE(pair.store->beginAppend(9));
    runLayers(pair, freshTokens(9), 2, nullptr);
    pair.store->abortAppend();
    expectStates(pair);
    appendTokens(pair, 3);
    expectStates(pair);
}

TEST(StateStore, speculation_reachesBeyondTheSpacing) {
    StorePair pair = emptyPair({.spacing = 2});
    appendTokens(pair, 9);
    ASSERT_TRUE(pair.store->beginSpeculation(12));
    EXPECT_FALSE(pair.store->beginSpeculation(1));
    appendTokens(pair, 12);
    ASSERT_TRUE(pair.store->rollback(11));
    pair.text.resize(10);
    expectStates(pair);
    pair.store->endSpeculation();
    appendTokens(pair, 7);
    expectStates(pair);
    EXPECT_LE(pair.store->rollbackLimit(), 4);
}

TEST(StateStore, bytes_stayWithinTheEstimate) {
    const StateOptions options{.spacing = 4};
    StorePair pair = emptyPair(options);
    for (int i = 0; i < 60; ++i) {
        appendTokens(pair, i % 7 == 0 ? 5 : 1);
        EXPECT_LE(pair.store->bytes().total(),
                  StateStore::estimateBytes(pair.store->model(), options, pair.store->offset()));
    }
}

TEST(StateStore, damagedAndForeignBytes_areRefused) {
    StorePair pair = emptyPair({.spacing = 4});
    appendTokens(pair, 13);
    const std::string saved = pair.store->save();
    std::string cut = saved;
    cut.resize(cut.size() - 9);
    EXPECT_EQ(StateStore::load(cut, sampleModel(), {.spacing = 4}).error().code,
              ErrorCode::Corrupt);
    std::string altered = saved;
    altered[altered.size() / 2] = static_cast<char>(altered[altered.size() / 2] ^ 1);
    EXPECT_EQ(StateStore::load(altered, sampleModel(), {.spacing = 4}).error().code,
              ErrorCode::Corrupt);
    StateModel other = *sampleModel();
    other[1].shape.width = 6;
    EXPECT_EQ(StateStore::load(saved, std::make_shared<const StateModel>(other), {.spacing = 4})
                  .error()
                  .code,
              ErrorCode::Incompatible);
}

int sequences() {
    const char* const asked = std::getenv("LACUNA_PROPERTY_SEQUENCES");
    return asked != nullptr ? std::atoi(asked) : 300;
}

TEST(StateStore, randomOperations_agreeWithANaiveModel) {
    ThreadPool pool(2);
    for (int seed = 0; seed < sequences(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomStream random(static_cast<std::uint64_t>(seed), 77);
        const StateOptions options{.spacing = static_cast<int>(1 + random.below(6))};
        const StateCheckpoints checkpoints{
            static_cast<std::int64_t>(random.below(4)) * checkpointSize(), StateType::Float32};
        StorePair pair = emptyPair(options, checkpoints);
        std::int64_t most = -1;  // of the open speculation
        std::int64_t start = 0;  // its offset
        for (int step = 0; step < 14; ++step) {
            const std::int64_t held = std::ssize(pair.text);
            const std::uint64_t action = random.below(10);
            if (action < 4) {
                appendTokens(pair, random.below(9), random.below(2) == 0 ? &pool : nullptr);
            } else if (action == 4) {
                const std::size_t count = 1 + random.below(7);
                ASSERT_TRUE(pair.store->beginAppend(static_cast<int>(count)));
                runLayers(pair, freshTokens(count), static_cast<int>(random.below(5)), nullptr);
                pair.store->abortAppend();
            } else if (action == 5 && most < 0) {
                start = held;
                most = static_cast<std::int64_t>(random.below(9));
                ASSERT_TRUE(pair.store->beginSpeculation(static_cast<int>(most)));
            } else if (action == 6 && most >= 0) {
                // Whatever was appended in the span can be removed.
                if (held > start) {
                    const auto back = static_cast<std::int64_t>(
                        random.below(static_cast<std::uint64_t>(held - start) + 1));
                    ASSERT_TRUE(pair.store->rollback(back));
                    pair.text.resize(static_cast<std::size_t>(held - back));
                }
                pair.store->endSpeculation();
                most = -1;
            } else if (action == 7 && most < 0) {
                const auto back =
                    static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(held) + 3));
                const std::int64_t length = std::max<std::int64_t>(held - back, 0);
                const std::int64_t again = pair.store->tokensAgain(length);
                ASSERT_EQ(pair.store->tokensAgain(length - again), 0);
                if (held - length <= pair.store->rollbackLimit()) {
                    ASSERT_EQ(again, 0);
                }
                const Status status = pair.store->rollback(back);
                ASSERT_EQ(static_cast<bool>(status), again == 0);
                if (status) pair.text.resize(static_cast<std::size_t>(length));
            } else if (action == 8) {
                const auto at =
                    static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(held) + 5));
                const bool exists = std::ranges::count(positionsOf(*pair.store), at) > 0;
                const bool possible =
                    exists || (checkpoints.bytes > 0 && at >= held - pair.store->rollbackLimit());
                const auto reason = static_cast<CheckpointReason>(random.below(3));
                ASSERT_EQ(static_cast<bool>(pair.store->requestCheckpoint(at, reason)), possible);
            } else if (action == 9 && most < 0) {
                const std::int64_t limit = pair.store->rollbackLimit();
                auto other = random.below(2) == 0
                                 ? pair.store->clone()
                                 : StateStore::load(pair.store->save(), sampleModel(), options);
                ASSERT_TRUE(other);
                StorePair twin{std::move(*other), pair.text};
                ASSERT_EQ(twin.store->rollbackLimit(), limit);
                ASSERT_EQ(positionsOf(*twin.store), positionsOf(*pair.store));
                twin.store->limitCheckpoints(checkpoints);
                appendTokens(pair, 2);  // the two are independent
                expectStates(twin);
                if (random.below(2) == 0) std::swap(pair, twin);
            }
            expectStates(pair);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace lacuna::test
