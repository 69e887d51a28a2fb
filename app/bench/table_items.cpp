#include "app/bench/table_items.h"

#include <algorithm>

#include "app/bench/case_items.h"
#include "app/bench/ruler.h"
#include "engine/base/string_format.h"
#include "engine/quality/recall_cases.h"

namespace lacuna {
namespace {

constexpr double kMostOfContext = 0.75;  // leaves room for question and answer
constexpr int kRulerLength = 4096;       // the shortest published length
constexpr int kMinRulerLength = 256;
constexpr int kSpeedContext = 2048;
constexpr int kLeastSpeedContext = 32;

bool fits(const GridItem& item, const ModelSpec& spec) {
    const std::size_t after =
        item.text.continuation.size() + static_cast<std::size_t>(item.text.answerTokens);
    return !item.text.context.empty() && after >= 2 &&
           item.text.context.size() + after <= static_cast<std::size_t>(spec.context);
}

/// Interleaves the lists, each spread evenly over the result.
std::vector<GridItem> inTurn(std::vector<std::vector<GridItem>> lists) {
    std::vector<std::pair<double, GridItem>> placed;
    for (std::vector<GridItem>& list : lists)
        for (std::size_t i = 0; i < list.size(); ++i)
            placed.emplace_back((static_cast<double>(i) + 0.5) / static_cast<double>(list.size()),
                                std::move(list[i]));
    std::ranges::stable_sort(placed, {}, &std::pair<double, GridItem>::first);
    std::vector<GridItem> items;
    for (auto& [place, item] : placed) items.push_back(std::move(item));
    return items;
}

}  // namespace

TableMeasure tableMeasure(TableSize size, int context) {
    const int most = static_cast<int>(kMostOfContext * context);
    TableMeasure measure;
    measure.size = size;
    if (size != TableSize::Whole) {
        measure.dialogueLengths = {std::min(300, most), std::min(600, most)};
        measure.rulerLength = std::min(1024, context);
    }
    if (size == TableSize::Formats) {
        measure.dialogueRounds = 2;
        measure.rulerRows = 0;
        measure.textAfter = 256;
        measure.textWindows = 8;
        measure.windowsOfBook = true;
        measure.speed.context = std::min(kSpeedContext, context / 2);
    }
    if (size == TableSize::Whole) {
        measure.dialogueLengths = {std::min(500, most), std::min(1000, most), std::min(2000, most)};
        measure.dialogueRounds = 5;
        measure.rulerLength = std::min(kRulerLength, context);
        measure.rulerRows = 4;
        measure.textContext = 768;
        measure.textAfter = 256;
        measure.textWindows = 10;
    }
    measure.textContext = std::min(measure.textContext, context / 2);
    measure.textAfter = std::min(measure.textAfter, context / 4);
    return measure;
}

TableItems::TableItems(const LoadedModel& model, TableMeasure measure, TableTexts texts)
    : model_(model), measure_(std::move(measure)), texts_(std::move(texts)) {}

double TableItems::share() const {
    const auto questions =
        static_cast<double>(rulerTaskNames().size()) * std::max(measure_.rulerRows, 1);
    return done_ ? 1 : static_cast<double>(asked_) / questions;
}

void TableItems::keep(std::vector<GridItem>& among, GridItem item) {
    if (fits(item, model_.spec))
        among.push_back(std::move(item));
    else
        ++left_;
}

Status TableItems::makeDialogues() {
    const std::vector<RecallCase> cases =
        texts_.cases.empty() ? makeRecallCases(measure_.dialogueRounds, measure_.dialogueLengths,
                                               texts_.filler, measure_.seed)
                             : texts_.cases;
    LACUNA_TRY(auto items, caseItems(model_, cases, {.answerTokens = measure_.answerTokens}));
    for (GridItem& item : items) {
        item.headTokens = 0;
        item.keepsDivergence = false;
        keep(dialogues_, std::move(item));
    }
    return {};
}

/// Generates the next RULER question. A task that needs a longer text is skipped and recorded in
/// shortTasks_.
Status TableItems::makeQuestion(const StopRequested& stop) {
    const auto tasks = rulerTaskNames();
    const std::string task(tasks[static_cast<std::size_t>(asked_) % tasks.size()]);
    if (std::ranges::count(shortTasks_, task) == 0) {
        auto question = rulerQuestion(model_, *book_,
                                      {.task = task,
                                       .row = asked_ / static_cast<int>(tasks.size()),
                                       .length = measure_.rulerLength,
                                       .seed = measure_.seed},
                                      stop);
        if (!question && question.error().code != ErrorCode::Range)
            return tl::unexpected<Error>(question.error());
        if (question) {
            LACUNA_TRY(const RulerPrompt prompt, rulerPrompt(model_, *question, stop));
            GridItem item;
            item.kind = "ruler " + task;
            const std::span<const TokenId> all(prompt.tokens);
            const auto context = all.first(prompt.textTokens);
            const auto after = all.subspan(prompt.textTokens);
            item.text = {.context = {context.begin(), context.end()},
                         .continuation = {after.begin(), after.end()},
                         .answerTokens = question->answerTokens};
            item.keepsDivergence = false;
            question->context.clear();
            item.scoredBy = question->answers;
            item.score = [asked = std::move(*question)](std::string_view answer) {
                return rulerScore(answer, asked);
            };
            keep(questions_, std::move(item));
        } else {
            shortTasks_.push_back(task);
        }
    }
    ++asked_;
    return {};
}

void TableItems::makeWindows(std::vector<TokenId> ids) {
    const auto most = static_cast<std::size_t>(
        measure_.textContext + measure_.textAfter * std::max(measure_.textWindows, 0));
    ids.resize(std::min(ids.size(), most));
    if (measure_.textWindows > 0)
        windows_ = textItems(
            ids,
            {.context = measure_.textContext, .continuation = measure_.textAfter, .headTokens = 0});
}

/// Takes as much text as there is; too short a text disables the speed measurement.
void TableItems::makeSpeedText(std::span<const TokenId> ids) {
    speed_ = measure_.speed;
    const auto most = std::min<std::int64_t>(std::ssize(ids), model_.spec.context) - speed_.tokens;
    speed_.context = static_cast<int>(std::min<std::int64_t>(speed_.context, most));
    if (speed_.context < kLeastSpeedContext) {
        speed_.context = 0;
        return;
    }
    const auto needed = ids.first(static_cast<std::size_t>(speed_.context + speed_.tokens));
    speedText_.assign(needed.begin(), needed.end());
}

Status TableItems::step(const StopRequested& stop) {
    if (stop && stop()) return fail(ErrorCode::Cancelled, "the measurement was stopped");
    if (!begun_) {
        if (measure_.rulerRows > 0) book_.emplace(texts_.book);
        if (book_ && book_->sentenceCount() == 0)
            return fail(ErrorCode::InvalidArgument, "the running text of RULER has no words");
        LACUNA_TRY_STATUS(makeDialogues());
        const std::string& running = measure_.windowsOfBook ? texts_.book : texts_.filler;
        LACUNA_TRY(auto ids, model_.tokenizer.encode(running, {.special = SpecialText::Plain}));
        makeSpeedText(ids);
        makeWindows(std::move(ids));
        begun_ = true;
        return {};
    }
    if (asked_ < static_cast<int>(rulerTaskNames().size()) * measure_.rulerRows)
        return makeQuestion(stop);
    return finish();
}

Status TableItems::finish() {
    if (dialogues_.empty() && questions_.empty() && windows_.empty())
        return fail(
            ErrorCode::InvalidArgument,
            format("no measurement fits into the context of {} tokens", model_.spec.context));
    std::size_t longest = 0;
    for (const GridItem& one : dialogues_) longest = std::max(longest, one.text.context.size());
    conditions_ = "compacted before the question";
    if (!dialogues_.empty())
        conditions_ += format("; {} dialogues of up to {} tokens", dialogues_.size(), longest);
    if (!questions_.empty())
        conditions_ +=
            format("; RULER at {} tokens, {} questions", measure_.rulerLength, questions_.size());
    if (!windows_.empty())
        conditions_ += format("; {} windows of running text, {} tokens measured after {}",
                              windows_.size(), measure_.textAfter, measure_.textContext);
    if (speed_.context > 0)
        conditions_ += format(
            "; speed of {} tokens after {}, median of {} rounds alternating with the full cache",
            speed_.tokens, speed_.context, speed_.rounds);
    if (!shortTasks_.empty())
        conditions_ += format("; {} of its tasks need a longer text", shortTasks_.size());
    if (left_ > 0) conditions_ += format("; {} texts exceed the model's context", left_);
    items_ = inTurn({std::move(dialogues_), std::move(questions_), std::move(windows_)});
    done_ = true;
    return {};
}

}  // namespace lacuna
