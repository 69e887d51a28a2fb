#include "engine/session/quality_filling.h"

#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/session/cache_presets.h"
#include "engine/session/measured_settings.h"

namespace lacuna {
namespace {

constexpr std::int64_t kSayNs = 1'000'000'000;  // between two tables on their way

Error stopped(const char* sentence) {
    return Error{ErrorCode::Cancelled, sentence, {}};
}

}  // namespace

void QualityFilling::sayKept() {
    const RunningModel* model = means_.models.model();
    if (model == nullptr || means_.folder.empty()) return;
    QualityTablesKept kept;
    kept.fingerprint = model->facts().fingerprint;
    for (const TableSize size : kTableSizes) {
        auto table =
            readTable(tableFiles(means_.folder, kept.fingerprint, size).table, kept.fingerprint);
        if (table && !*table)
            table = readTable(shippedTablePath(model->loaded().path, size), kept.fingerprint);
        if (!table)
            kept.problems.push_back(format("The {} that is kept of this model cannot be used: {}.",
                                           size == TableSize::Formats
                                               ? "table of cache formats"
                                               : format("{} quality table", tableSizeName(size)),
                                           table.error().what));
        else if (*table)
            kept.tables.push_back(std::make_shared<const QualityTable>(std::move(**table)));
    }
    means_.doors.post(std::move(kept));
}

void QualityFilling::begin(FillQualityTable request) {
    if (asked_) end(stopped("another table was begun"));
    asked_ = std::move(request);
    if (means_.models.model() == nullptr)
        return end(fail(ErrorCode::InvalidArgument, "no model is loaded; load one before measuring")
                       .value());
    saidNs_ = 0;
    QualityTableFilled event;
    event.size = asked_->size;
    means_.doors.post(std::move(event));
}

/// As late as possible: what is known of the model's heads by then counts.
Status QualityFilling::prepare() {
    const RunningModel& model = *means_.models.model();
    const ModelFacts& facts = model.facts();
    const TableModel measured{facts, model.headProfiles()};
    LACUNA_TRY(auto settings, asked_->size == TableSize::Formats
                                  ? formatSettings({}, measured, means_.machine)
                                  : tableSettings({}, tableRatios(), {}, measured, means_.machine));
    TableRun::Wish wish{.measure = tableMeasure(asked_->size, facts.context),
                        .texts = {.filler = std::move(asked_->filler),
                                  .book = std::move(asked_->book),
                                  .cases = {}},
                        .settings = std::move(settings),
                        .shadow = {.type = DType::F16,
                                   .chunk = EngineConfig{}.prefillChunk,
                                   .headTokens = 0,
                                   .seed = 0,
                                   .profiles = model.headProfiles(),
                                   .cancelled = [this] { return means_.commands.waiting(); }},
                        .head = tableHead(measured, means_.machine),
                        .files = {},
                        .fresh = asked_->fresh};
    wish.head.program = asked_->program;
    if (!means_.folder.empty())
        wish.files = tableFiles(means_.folder, facts.fingerprint, asked_->size);
    run_ = std::make_unique<TableRun>(model.loaded(), std::move(wish));
    return {};
}

Status QualityFilling::renewTransformer() {
    const RunningModel& model = *means_.models.model();
    if (transformer_ != nullptr && threadsMade_ == model.threadsMade()) return {};
    run_->letGo();
    transformer_.reset();
    LACUNA_TRY(transformer_, means_.models.makeTransformer(EngineConfig{}.prefillChunk));
    threadsMade_ = model.threadsMade();
    return {};
}

void QualityFilling::stop() {
    if (asked_) end(stopped("the measurement was stopped"));
}

Status QualityFilling::checkRoom(std::int64_t room) const {
    const std::int64_t bytes = run_->cacheBytes();
    if (bytes <= room) return {};
    return fail(ErrorCode::NoMemory,
                format("the caches of its longest text take {:.1f} MiB, and cache_limit leaves "
                       "{:.1f}",
                       static_cast<double>(bytes) / kMiB, static_cast<double>(room) / kMiB));
}

void QualityFilling::advance(std::int64_t room) {
    if (run_ == nullptr)
        if (const Status prepared = prepare(); !prepared) return end(prepared.error());
    if (const Status fits = checkRoom(room); !fits) return end(fits.error());
    if (const Status made = renewTransformer(); !made) return end(made.error());
    const Status stepped = run_->step(*transformer_, means_.models.model()->pool());
    if (!stepped) {
        // A command broke it off: it goes on when that is done.
        if (stepped.error().code != ErrorCode::Cancelled) end(stepped.error());
        return;
    }
    if (run_->done()) return end({});
    const std::int64_t now = means_.doors.clock().nowNs();
    const bool due = run_->cellsTotal() > 0 && now - saidNs_ >= kSayNs;
    if (due) saidNs_ = now;
    say(due);
}

QualityTableFilled QualityFilling::state() const {
    QualityTableFilled event;
    event.size = asked_->size;
    if (run_ == nullptr) return event;
    event.known = run_->known();
    event.done = run_->cellsDone();
    event.total = run_->cellsTotal();
    event.prepared = run_->prepared();
    return event;
}

void QualityFilling::say(bool withTable) {
    QualityTableFilled event = state();
    if (withTable) event.table = std::make_shared<const QualityTable>(run_->table());
    means_.doors.post(std::move(event));
}

void QualityFilling::end(const std::optional<Error>& error) {
    QualityTableFilled event = state();
    event.ended = true;
    event.error = error;
    if (run_ != nullptr) {
        if (const Status kept = run_->keep(); !kept && !event.error) event.error = kept.error();
        if (event.total > 0) event.table = std::make_shared<const QualityTable>(run_->table());
    }
    means_.log.info("session", format("quality table size={} done={} of={}{}",
                                      tableSizeName(event.size), event.done, event.total,
                                      error ? format(" ended={}", describe(*error)) : ""));
    run_.reset();
    transformer_.reset();
    asked_.reset();
    means_.doors.post(std::move(event));
}

void QualityFilling::pause() {
    if (run_ != nullptr) run_->letGo();
}

void QualityFilling::reset() {
    if (asked_) end(stopped("the model was given up"));
}

}  // namespace lacuna
