#pragma once
/// \file
/// Fills the quality table of a model step by step and saves it: the table for readers, and the
/// cells next to it, so that an interrupted run can be resumed. The speed of cache formats is
/// measured last. Files are named by the model's fingerprint, one pair per size. Runs on the
/// calling thread.

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
    struct Request {
        TableMeasure measure;
        TableTexts texts;
        std::vector<TableSetting> settings;
        ShadowOptions shadow;  ///< `cancelled` is polled within every step
        QualityTable head;     ///< model, program, machine, precision, resolved auto values
        std::optional<TableFiles> files;  ///< nullopt: nothing is saved
        bool fresh = false;               ///< ignore saved cells
    };

    /// `model` must outlive this object.
    TableRun(const LoadedModel& model, Request request);

    [[nodiscard]] bool done() const {
        return grid_ && grid_->done() && speeds_.size() == requestedSpeeds();
    }
    /// Generates a question, or measures the loss or the speed of a setting. The next step
    /// continues after an error. Errors: Cancelled; Conflict (files of a different plan), Config,
    /// Json, Incompatible (corrupt files), Write; those of TableItems and GridRun.
    [[nodiscard]] Status step(Transformer& transformer, ThreadPool& pool);
    /// Releases the text that was read. @pre called before step() gets a different transformer or
    /// pool
    void release();
    /// Writes the measurements made since the last write. Errors: Write.
    [[nodiscard]] Status keep();

    /// Returns the table as filled so far.
    [[nodiscard]] const QualityTable& table();
    [[nodiscard]] std::int64_t cellsDone() const;
    [[nodiscard]] std::int64_t cellsTotal() const;
    /// Progress of generating the texts, 0 to 1.
    [[nodiscard]] double prepared() const { return maker_ ? maker_->share() : 1; }
    /// Number of cells loaded from an earlier run.
    [[nodiscard]] std::int64_t known() const { return known_; }
    /// Bytes of the caches for the longest text: the full one and another of at most the same size;
    /// 0 before the texts are generated.
    [[nodiscard]] std::int64_t cacheBytes() const;

  private:
    /// By index of setting; nullopt if the setting was refused or had nothing to compact.
    using Speeds = std::map<std::size_t, std::optional<DecodeSpeed>>;
    struct Known {
        GridCells cells;
        Speeds speeds;
    };
    [[nodiscard]] Status begin();
    [[nodiscard]] Result<Known> readCells() const;
    [[nodiscard]] OrderedJson speedsJson() const;
    [[nodiscard]] Status measureSpeed(Transformer& transformer, ThreadPool& pool);
    [[nodiscard]] std::size_t requestedSpeeds() const {
        return speedRun_ ? settings_.size() : std::size_t{0};
    }
    void addSpeeds();

    const LoadedModel& model_;
    Request request_;
    std::optional<TableItems> maker_;
    std::vector<GridItem> items_;
    std::vector<GridSetting> settings_;
    GridOptions options_;
    std::optional<GridRun> grid_;
    std::optional<DecodeSpeedRun> speedRun_;  ///< nullopt if speed is not measured
    Speeds speeds_;
    int speedContext_ = 0;  ///< tokens in the cache during speed measurement
    QualityTable table_;
    SteadyClock clock_;
    std::int64_t known_ = 0;
    std::int64_t keptCells_ = 0;  ///< number of cells in the file
    std::int64_t keptNs_ = 0;     ///< time of the last write
    std::int64_t keepCostNs_ = 0;
    bool stale_ = true;  ///< the table's rows lack the newest cells
};

}  // namespace lacuna
