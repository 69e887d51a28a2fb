#pragma once
/// \file
/// Fills the quality table of a model a bit at a time, and keeps it: the table for those who read
/// it, the cells next to it, so that a run that ended anywhere goes on where it was. The speed of
/// cache formats comes last. Files are
/// named by the model's fingerprint, one pair for each size. Runs on the calling thread.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/decode_speed.h"
#include "app/bench/table_items.h"
#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/model/transformer.h"
#include "engine/quality/quality_table.h"
#include "engine/quality/table_files.h"

namespace lacuna {

class TableRun {
  public:
    struct Wish {
        TableMeasure measure;
        TableTexts texts;
        std::vector<TableSetting> settings;
        ShadowOptions shadow;  ///< `cancelled` is asked within every step
        QualityTable head;     ///< model, program, machine, precision, what auto stands for
        std::optional<TableFiles> files;  ///< none: nothing is kept
        bool fresh = false;               ///< what is kept there is not gone on with
    };

    /// `model` must outlive it.
    TableRun(const LoadedModel& model, Wish wish);

    [[nodiscard]] bool done() const {
        return grid_ && grid_->done() && speeds_.size() == speedsWanted();
    }
    /// Makes a question, tries a setting on a text, or measures the speed of one. After an error
    /// nothing is lost: the next step goes on. Errors: Cancelled; Conflict (the files hold cells of
    /// another plan), Config, Json, Incompatible (they are damaged), Write; those of TableItems and
    /// GridRun.
    [[nodiscard]] Status step(Transformer& transformer, ThreadPool& pool);
    /// Gives back the text that was read. To be called before another transformer or pool is given.
    void letGo();
    /// Writes what was measured since it was written last. Errors: Write.
    [[nodiscard]] Status keep();

    /// As far as it is filled.
    [[nodiscard]] const QualityTable& table();
    [[nodiscard]] std::int64_t cellsDone() const;
    [[nodiscard]] std::int64_t cellsTotal() const;
    /// Of making the texts, 0 to 1.
    [[nodiscard]] double prepared() const { return maker_ ? maker_->share() : 1; }
    /// Cells that lay there already.
    [[nodiscard]] std::int64_t known() const { return known_; }
    /// Bytes that the caches of the longest text take, the whole one and another that is no larger;
    /// 0 before the texts are made.
    [[nodiscard]] std::int64_t cacheBytes() const;

  private:
    /// By index of setting; those that are refused or had nothing to compact have no figure.
    using Speeds = std::map<std::size_t, std::optional<DecodeSpeed>>;
    struct Known {
        GridCells cells;
        Speeds speeds;
    };
    [[nodiscard]] Status begin();
    [[nodiscard]] Result<Known> readCells() const;
    [[nodiscard]] OrderedJson speedsJson() const;
    [[nodiscard]] Status measureSpeed(Transformer& transformer, ThreadPool& pool);
    [[nodiscard]] std::size_t speedsWanted() const {
        return speedRun_ ? settings_.size() : std::size_t{0};
    }
    void addSpeeds();

    const LoadedModel& model_;
    Wish wish_;
    std::optional<TableItems> maker_;
    std::vector<GridItem> items_;
    std::vector<GridSetting> settings_;
    GridOptions options_;
    std::optional<GridRun> grid_;
    std::optional<DecodeSpeedRun> speedRun_;  ///< none: no speed is measured
    Speeds speeds_;
    int speedContext_ = 0;  ///< tokens in a cache whose speed is measured
    QualityTable table_;
    SteadyClock clock_;
    std::int64_t known_ = 0;
    std::int64_t keptCells_ = 0;  ///< in the file
    std::int64_t keptNs_ = 0;     ///< when it was written
    std::int64_t keepCostNs_ = 0;
    bool stale_ = true;  ///< the rows lack the newest cells
};

}  // namespace lacuna
