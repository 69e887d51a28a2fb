#pragma once
/// \file
/// Items of a model's quality table: dialogues about long texts, RULER tasks and prose, generated
/// from bundled texts. They are always the same, so tables of the same size are comparable.
/// Deterministic. Runs on the calling thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/bench/decode_speed.h"
#include "app/bench/recall.h"
#include "app/bench/ruler_words.h"
#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/format/load_model.h"
#include "engine/quality/quality_grid.h"
#include "engine/quality/quality_values.h"
#include "engine/quality/table_values.h"

namespace lacuna {

/// Amount of each kind; in tokens unless noted otherwise.
struct TableMeasure {
    TableSize size = TableSize::Small;
    std::vector<int> dialogueLengths;  ///< approximate; three kinds of dialogue at each length
    int dialogueRounds = 1;            ///< repetitions of each dialogue
    int answerTokens = 28;             ///< limit of a dialogue's answer
    int rulerLength = 1024;            ///< prompt and answer together
    int rulerRows = 1;                 ///< questions per task; 0: none
    int textContext = 512;             ///< prose before the compaction
    int textAfter = 128;               ///< prose after it
    int textWindows = 2;               ///< maximum number of windows
    bool windowsOfBook = false;  ///< take windows and speed text from the book, not from the filler
    std::uint64_t seed = 7;      ///< seed of the questions, different from that of calibrate-kv
    SpeedMeasure speed = {};     ///< for the formats table
};
/// Returns the measure of a size for a model with this context. Small and Formats take minutes,
/// Whole takes hours.
[[nodiscard]] TableMeasure tableMeasure(TableSize size, int context);

struct TableTexts {
    std::string filler;             ///< prose for dialogues and perplexity
    std::string book;               ///< long text for the haystacks of RULER
    std::vector<RecallCase> cases;  ///< replace the generated dialogues
};

/// Generates the items step by step, because finding the largest haystack that fits takes many
/// trials.
class TableItems {
  public:
    /// `model` must outlive this object.
    TableItems(const LoadedModel& model, TableMeasure measure, TableTexts texts);

    [[nodiscard]] bool done() const { return done_; }
    /// Progress, 0 to 1.
    [[nodiscard]] double share() const;
    /// Generates some items. Errors: InvalidArgument (text without words; no items at the end),
    /// those of promptTokens; Cancelled if `stop` returns true, after which the next step
    /// continues.
    [[nodiscard]] Status step(const StopRequested& stop);
    /// Returns the items with their kinds interleaved, so that the first results cover all of them.
    /// @pre done
    [[nodiscard]] std::vector<GridItem> take() && { return std::move(items_); }
    /// Returns a description of the items and of what was left out because of the context. @pre
    /// done
    [[nodiscard]] const std::string& conditions() const { return conditions_; }
    /// Returns the text for measuring speed, which may be shorter than requested. @pre done
    [[nodiscard]] std::vector<TokenId> takeSpeedText() && { return std::move(speedText_); }
    [[nodiscard]] const SpeedMeasure& speed() const { return speed_; }

  private:
    [[nodiscard]] Status makeDialogues();
    [[nodiscard]] Status makeQuestion(const StopRequested& stop);
    void makeWindows(std::vector<TokenId> ids);
    void makeSpeedText(std::span<const TokenId> ids);
    [[nodiscard]] Status finish();
    void keep(std::vector<GridItem>& among, GridItem item);

    const LoadedModel& model_;
    const TableMeasure measure_;
    const TableTexts texts_;
    std::optional<RulerText> book_;
    bool begun_ = false, done_ = false;
    int asked_ = 0;                        ///< RULER questions made or left out so far
    int left_ = 0;                         ///< dialogues that exceed the context
    std::vector<std::string> shortTasks_;  ///< RULER tasks that need a longer text
    std::vector<GridItem> dialogues_, questions_, windows_, items_;
    std::vector<TokenId> speedText_;
    SpeedMeasure speed_;
    std::string conditions_;
};

}  // namespace lacuna
