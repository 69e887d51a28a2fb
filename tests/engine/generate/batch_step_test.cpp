#include "engine/generate/batch_step.h"

#include <gtest/gtest.h>

#include <map>
#include <new>
#include <set>

#include "engine/kv/slot/slot_cache.h"
#include "tests/support/fake_model.h"

namespace lacuna {
namespace {

using test::FakeModelOptions;
using test::FakeTransformer;

struct Question {
    int promptLength = 20;
    int salt = 1;
    int maxTokens = 30;
    int budget = 0;  ///< 0 = unlimited
    int drafts = 0;
    double temperature = 0;
};

/// Several answers from one fake model, stepped together or one after another.
struct Table {
    explicit Table(FakeModelOptions modelOptions = {.context = 4096, .endEvery = 0})
        : options(std::move(modelOptions)), model(test::fakeLoadedModel(options), options) {}

    struct Guest {
        std::unique_ptr<Sequence> sequence;
        std::unique_ptr<Generation> generation;
        GenerationSettings settings;
        std::int64_t lastServed = 0;
        std::vector<GenerationStep> steps;
        std::optional<Error> error;
        std::int64_t firstDraw = 0;  ///< number of the step that drew the first token
        [[nodiscard]] std::vector<TokenId> answer() const {
            return {generation->answer().begin(), generation->answer().end()};
        }
        [[nodiscard]] bool done() const { return generation->finished() || error; }
    };

    void seat(const Question& question) {
        const KvShape shape{.layers = options.layers,
                            .kvHeads = options.kvHeads,
                            .keyDim = options.headDim,
                            .valueDim = options.headDim,
                            .type = DType::F16};
        Guest guest;
        guest.sequence = std::move(*Sequence::create(
            [shape] { return makeSlotCache(shape); },
            [this](const KvShape& made) {
                return std::make_unique<Compactor>(
                    CompactorModel{.heads = options.heads, .scale = 0.5F, .seed = 1}, made, pool,
                    clock);
            }));
        guest.settings.context = options.context;
        guest.settings.maxTokens = question.maxTokens;
        guest.settings.prefillChunk = 16;
        guest.settings.draftTokens = question.drafts;
        guest.settings.sampling.temperature = question.temperature;
        if (question.budget > 0) {
            guest.settings.kv.method = CompactionMethod::Eviction;
            guest.settings.kv.lossLimit.level = LossLimit::Level::Off;
            guest.settings.kv.compactionFloor = 0;
            guest.settings.kv.evictionPolicy = EvictionPolicy::KeepLowNorm;
            guest.settings.kv.budget = question.budget;
            guest.settings.kv.keepRecent = 8;
            guest.settings.kv.nSink = 2;
            guest.settings.kv.margin = 8;
        }
        std::vector<TokenId> prompt;
        for (int i = 0; i < question.promptLength; ++i)
            prompt.push_back(static_cast<TokenId>((i * 7 + question.salt) % 256));
        guest.lastServed = steps;
        guest.generation = std::move(*Generation::start(
            model, *guest.sequence,
            {std::move(prompt), {}, static_cast<std::uint64_t>(question.salt)}, guest.settings));
        guests.push_back(std::move(guest));
    }

    /// Runs one step of all unfinished answers.
    std::vector<EntryResult> step(const ForwardOptions& forward = {}) {
        std::vector<BatchEntry> members;
        std::vector<std::size_t> who;
        for (std::size_t i = 0; i < guests.size(); ++i) {
            if (guests[i].done()) continue;
            members.push_back(
                {guests[i].generation.get(), guests[i].settings, guests[i].lastServed});
            who.push_back(i);
        }
        ++steps;
        auto done = stepTogether(
            members, {.model = model, .room = room, .forward = forward, .clock = clock});
        for (EntryResult& one : done) {
            one.member = who[one.member];
            Guest& guest = guests[one.member];
            guest.lastServed = steps;
            if (!one.step) {
                guest.error = one.step.error();
                continue;
            }
            if (guest.firstDraw == 0 && !one.step->drawn.empty()) guest.firstDraw = steps;
            guest.steps.push_back(*one.step);
            guest.sequence->cache().checkInvariants();
        }
        return done;
    }
    void run() {
        while (std::ranges::any_of(guests, [](const Guest& guest) { return !guest.done(); }))
            static_cast<void>(step());
    }

    FakeModelOptions options;
    FakeTransformer model;
    ThreadPool pool{1};
    SteadyClock clock;
    int room = 16 + 15;
    std::int64_t steps = 0;
    std::vector<Guest> guests;
};

std::vector<TokenId> alone(const Question& question, const FakeModelOptions& options) {
    Table table(options);
    table.room = 16;
    table.seat(question);
    table.run();
    return table.guests[0].answer();
}

FakeModelOptions repeating() {
    return {.context = 4096, .endEvery = 0, .period = 9, .surpriseEvery = 11};
}

TEST(BatchStep, eachAnswer_equalsTheSingleTurn) {
    const std::vector<Question> questions{{.promptLength = 100, .salt = 1},
                                          {.promptLength = 3, .salt = 2, .maxTokens = 60},
                                          {.promptLength = 40, .salt = 3, .temperature = 1.2},
                                          {.promptLength = 90, .salt = 4, .budget = 32},
                                          {.promptLength = 1, .salt = 5, .maxTokens = 1},
                                          {.promptLength = 25, .salt = 6, .maxTokens = 0}};
    const FakeModelOptions options{.context = 4096};
    Table table(options);
    for (const Question& question : questions) table.seat(question);
    table.run();
    for (std::size_t i = 0; i < questions.size(); ++i)
        EXPECT_EQ(table.guests[i].answer(), alone(questions[i], options)) << i;
    int compactions = 0;
    for (const GenerationStep& step : table.guests[3].steps)
        compactions += step.compaction && step.compaction->result == CompactionResult::Done ? 1 : 0;
    EXPECT_GT(compactions, 1);
    EXPECT_LT(table.steps, 120) << "the steps are shared";
}

TEST(BatchStep, SP_10_S4_11_draftTokens_areAcceptedAndRolledBackPerAnswer) {
    std::vector<Question> questions;
    for (int i = 0; i < 4; ++i)
        questions.push_back({.promptLength = 30 + 5 * i,
                             .salt = i + 1,
                             .maxTokens = 120 + 10 * i,
                             .drafts = 2 * i,
                             .temperature = i == 3 ? 1.0 : 0.0});
    Table table(repeating());
    for (const Question& question : questions) table.seat(question);
    std::set<std::pair<int, int>> outcomes;  // accepted counts of two answers in one step
    while (std::ranges::any_of(table.guests, [](const Table::Guest& g) { return !g.done(); })) {
        std::map<std::size_t, std::int64_t> before;
        for (std::size_t i = 0; i < table.guests.size(); ++i)
            before[i] = table.guests[i].sequence->cache().offset().value;
        std::map<std::size_t, int> accepted;
        for (const EntryResult& one : table.step()) {
            ASSERT_TRUE(one.step);
            accepted[one.member] = one.step->accepted;
            EXPECT_EQ(table.guests[one.member].sequence->cache().offset().value,
                      before[one.member] + one.step->tokens);
        }
        if (accepted.contains(2) && accepted.contains(3))
            outcomes.insert({accepted[2], accepted[3]});
    }
    EXPECT_GT(outcomes.size(), 4U) << "different numbers were accepted side by side";
    for (std::size_t i = 0; i < questions.size(); ++i) {
        Question plain = questions[i];
        plain.drafts = 0;
        EXPECT_EQ(table.guests[i].answer(), alone(plain, repeating())) << i;
        int taken = 0;
        for (const GenerationStep& step : table.guests[i].steps) taken += step.accepted;
        EXPECT_EQ(taken > 0, questions[i].drafts > 0) << i;
    }
}

TEST(BatchStep, longPrompt_doesNotStallOtherAnswers) {
    Table table;
    table.seat({.promptLength = 8, .salt = 1, .maxTokens = 400});
    for (int i = 0; i < 5; ++i) static_cast<void>(table.step());
    table.seat({.promptLength = 2000, .salt = 2, .maxTokens = 4});
    std::int64_t stepsWithBoth = 0;
    while (table.guests[1].generation->inPrefill()) {
        const auto done = table.step();
        ASSERT_EQ(done.size(), 2U);
        EXPECT_EQ(done[0].step->drawn.size(), 1U) << "a token in every step";
        EXPECT_LE(table.model.stepSizes().back(), table.room);
        ++stepsWithBoth;
    }
    EXPECT_EQ(stepsWithBoth, (2000 - 1 + 15) / 16);
}

TEST(BatchStep, shortPrompt_withLongPrompt_waitsForAtMostOneChunk) {
    Table table;
    table.seat({.promptLength = 3000, .salt = 2, .maxTokens = 4});
    for (int i = 0; i < 3; ++i) static_cast<void>(table.step());
    table.seat({.promptLength = 12, .salt = 1, .maxTokens = 4});
    const std::int64_t came = table.steps;
    while (table.guests[1].firstDraw == 0) static_cast<void>(table.step());
    // One chunk of the other prompt, its own chunk, its first token.
    EXPECT_LE(table.guests[1].firstDraw - came, 3);
}

TEST(BatchStep, allocationFailureOfOneRun_endsItsAnswerOnly) {
    Table table;
    const std::vector<Question> questions{
        {.promptLength = 20, .salt = 1}, {.promptLength = 30, .salt = 2}, {.salt = 3}};
    for (const Question& question : questions) table.seat(question);
    for (int i = 0; i < 6; ++i) static_cast<void>(table.step());
    const KvCache* broken = &table.guests[1].sequence->cache();
    table.model.refuse = [&](const BatchRun& run) { return run.cache == broken; };
    table.run();
    ASSERT_TRUE(table.guests[1].error);
    EXPECT_EQ(table.guests[1].error->code, ErrorCode::NoMemory);
    for (const std::size_t i : {0U, 2U}) {
        EXPECT_FALSE(table.guests[i].error);
        EXPECT_EQ(table.guests[i].answer(), alone(questions[i], table.options)) << i;
    }
}

TEST(BatchStep, allocationFailureInTheStep_endsOneAnswer_markingItsSequenceTorn) {
    Table table;
    for (int salt = 1; salt <= 2; ++salt) table.seat({.promptLength = 1, .salt = salt});
    table.model.before = [](std::int64_t number) -> Status {
        if (number == 3 || number == 4)
            throw std::bad_alloc();  // the joint step, then the first answer alone
        return {};
    };
    for (int i = 0; i < 3; ++i) static_cast<void>(table.step());
    const auto done = table.step();
    ASSERT_EQ(done.size(), 2U);
    EXPECT_TRUE(done[0].inconsistent);
    EXPECT_EQ(done[0].step.error().code, ErrorCode::NoMemory);
    EXPECT_FALSE(done[1].inconsistent);
    EXPECT_TRUE(done[1].step);
}

TEST(BatchStep, cancelledStep_changesNothing) {
    Table table;
    const std::vector<Question> questions{{.promptLength = 50, .salt = 1}, {.salt = 2}};
    for (const Question& question : questions) table.seat(question);
    for (int i = 0; i < 2; ++i) static_cast<void>(table.step());
    for (int i = 0; i < 20; ++i) {
        const std::int64_t first = table.guests[0].sequence->cache().offset().value;
        EXPECT_TRUE(table.step({.cancelled = [] { return true; }}).empty());
        EXPECT_EQ(table.guests[0].sequence->cache().offset().value, first);
        static_cast<void>(table.step());
    }
    table.run();
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(table.guests[i].answer(), alone(questions[i], table.options)) << i;
}

}  // namespace
}  // namespace lacuna
