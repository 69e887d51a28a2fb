#pragma once
/// \file
/// What the quality table of a model is measured on: dialogues about long texts, RULER's tasks and
/// running text, made from texts that come with the program, and the same every time, so that
/// tables of the same size compare. Deterministic. Runs on the calling thread.

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

/// How much of each kind; tokens unless said otherwise.
struct TableMeasure {
    TableSize size = TableSize::Small;
    std::vector<int> dialogueLengths;  ///< about; each of three kinds of dialogue at each of them
    int dialogueRounds = 1;            ///< so often
    int answerTokens = 28;             ///< most of a dialogue's answer
    int rulerLength = 1024;            ///< of prompt and answer together
    int rulerRows = 1;                 ///< questions of each of the thirteen tasks; 0: none
    int textContext = 512;             ///< of running text, before the compaction
    int textAfter = 128;               ///< after it
    int textWindows = 2;               ///< at most
    bool windowsOfBook = false;        ///< windows and speed are of the book, not of the filler
    std::uint64_t seed = 7;            ///< of the questions; calibrate-kv asks others
    SpeedMeasure speed = {};           ///< of the table of formats
};
/// What a size stands for with a model of this context. Small and Formats take minutes, Whole
/// hours.
[[nodiscard]] TableMeasure tableMeasure(TableSize size, int context);

struct TableTexts {
    std::string filler;             ///< running text: dialogues and perplexity
    std::string book;               ///< haystacks of RULER; a long text
    std::vector<RecallCase> cases;  ///< dialogues in place of those made on the spot
};

/// Makes the items bit by bit, since the largest haystack that fits is found by trying.
class TableItems {
  public:
    /// `model` must outlive it.
    TableItems(const LoadedModel& model, TableMeasure measure, TableTexts texts);

    [[nodiscard]] bool done() const { return done_; }
    /// 0 to 1.
    [[nodiscard]] double share() const;
    /// Makes some more. Errors: InvalidArgument (a text without words; none is left in the end),
    /// those of promptTokens; Cancelled once `stop` says so, and the next step goes on.
    [[nodiscard]] Status step(const StopAsked& stop);
    /// Kinds in turn, so that those measured first say something of all. @pre done
    [[nodiscard]] std::vector<GridItem> take() && { return std::move(items_); }
    /// What they are, and what was left out for want of context. @pre done
    [[nodiscard]] const std::string& conditions() const { return conditions_; }
    /// What speed is measured on, and on how much of it: the text may be short. @pre done
    [[nodiscard]] std::vector<TokenId> takeSpeedText() && { return std::move(speedText_); }
    [[nodiscard]] const SpeedMeasure& speed() const { return speed_; }

  private:
    [[nodiscard]] Status makeDialogues();
    [[nodiscard]] Status makeQuestion(const StopAsked& stop);
    void makeWindows(std::vector<TokenId> ids);
    void makeSpeedText(std::span<const TokenId> ids);
    [[nodiscard]] Status finish();
    void keep(std::vector<GridItem>& among, GridItem item);

    const LoadedModel& model_;
    const TableMeasure measure_;
    const TableTexts texts_;
    std::optional<RulerText> book_;
    bool begun_ = false, done_ = false;
    int asked_ = 0;                        ///< questions of RULER that were made or left out
    int left_ = 0;                         ///< dialogues that pass the context
    std::vector<std::string> shortTasks_;  ///< of RULER, too short a length for them
    std::vector<GridItem> dialogues_, questions_, windows_, items_;
    std::vector<TokenId> speedText_;
    SpeedMeasure speed_;
    std::string conditions_;
};

}  // namespace lacuna
