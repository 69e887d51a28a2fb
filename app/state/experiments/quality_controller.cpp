#include "app/state/experiments/quality_controller.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QStringList>
#include <QTemporaryDir>
#include <array>
#include <cmath>
#include <utility>

#include "app/state/engine/engine_text.h"
#include "app/state/figure_language.h"
#include "app/state/list_text.h"
#include "app/state/models/child_program.h"
#include "app/state/number_format.h"
#include "app/state/view_rows.h"
#include "engine/base/string_format.h"
#include "engine/quality/table_files.h"
#include "engine/session/cache_presets.h"
#include "engine/session/measured_settings.h"
#include "engine/settings/config_check.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

namespace {

QualityRowView viewOf(const TableRow& row) {
    QualityRowView view;
    view.method = toQt(row.method);
    view.ratio = row.ratio;
    view.settings = toQt(row.settings);
    view.refused = engineText(row.refused);
    view.items = row.items;
    view.left = row.left;
    view.open = row.open;
    view.answerable = row.answerable;
    view.hits = row.hits;
    view.questions = row.questions;
    view.rulerShare = row.rulerShare();
    view.positions = row.positions;
    view.liveBytes = row.liveBytes;
    view.logicalBytes = row.logicalBytes;
    view.seconds = row.seconds;
    if (row.positions == 0) return view;
    view.klMean = row.klMean;
    view.klP99 = row.klP99;
    view.perplexity = row.perplexity;
    return view;
}

static_assert(kTableSizes[QualityController::Small] == TableSize::Small &&
              kTableSizes[QualityController::Whole] == TableSize::Whole &&
              kTableSizes[QualityController::Formats] == TableSize::Formats);

void addFigures(FormatRowView& view, const TableRow& row) {
    view.bitsPerNumber = row.bitsPerNumber;
    view.bytesPerToken = row.bytesPerToken;
    view.allocatedPerToken = row.allocatedPerToken;
    view.answerable = row.answerable;
    view.hits = row.hits;
    view.texts = row.items + row.left;
    view.open = row.open;
    view.unsaved = row.unsaved;
    view.left = row.left;
    if (row.positions > 0) {
        view.klMean = row.klMean;
        view.klP99 = row.klP99;
        view.top1 = row.top1;
        view.passes = isFormatAlone(row) && row.klMean < kMaxFormatKl && savesBytes(row);
    }
    if (!row.speed) return;
    view.tokensPerSecond = row.speed->tokensPerSecond;
    view.ofFull = row.speed->ofFull;
}

SettingTexts textsOf(const std::vector<std::pair<std::string, std::string>>& settings) {
    SettingTexts texts;
    for (const auto& [key, value] : settings) texts.push_back({toQt(key), toQt(value)});
    return texts;
}

bool asksFor(const EngineConfig& asked,
             const std::vector<std::pair<std::string, std::string>>& settings) {
    EngineConfig with = asked;
    for (const auto& [key, value] : settings)
        if (changeSetting(with, key, value)) return false;
    return with == asked;
}

std::string typeName(int bits) {
    return bits == QualityController::kPlainBits ? "f16" : format("t{}", bits);
}

/// Formats a mean divergence with significant digits even if it is very small.
QString klText(double kl) {
    return shortText(kl, 2);
}

QString percentOf(double share) {
    return shortText(100 * share, 2) + QStringLiteral(" %");
}

QString ratioWords(double ratio) {
    return shortText(ratio, 4) + QLatin1Char('x');
}

/// Replaces the method in "am 4x" by its name; an empty text stays empty.
QString inWords(const QString& evicts) {
    const qsizetype space = evicts.indexOf(QLatin1Char(' '));
    if (space < 0) return evicts;
    return choiceWords("method", fromQt(evicts.left(space))) + evicts.mid(space);
}

/// Returns "recall 26 of 29, RULER 92.1 %", or the divergence if neither was measured.
QString figuresOf(const TableRow& row) {
    QStringList parts;
    if (row.answerable > 0)
        parts << QualityController::tr("recall %1 of %2").arg(row.hits).arg(row.answerable);
    if (const auto share = row.rulerShare())
        parts << QualityController::tr("RULER %1 %").arg(realText(*share * 100, 1));
    if (parts.isEmpty() && row.positions > 0)
        parts << QualityController::tr("mean KL %1").arg(realText(row.klMean, 4));
    return listed(parts);
}

/// Minimum interval between two reads of the table that is being written.
constexpr qint64 kReadEveryMs = 250;

/// Describes why a stored table is not shown.
QString tableProblem(TableSize size, const Error& error) {
    const QString what = engineText(error.what);
    switch (size) {
        case TableSize::Small:
            return QualityController::tr(
                       "The stored small quality table of this model cannot be used: %1.")
                .arg(what);
        case TableSize::Whole:
            return QualityController::tr(
                       "The stored full quality table of this model cannot be used: %1.")
                .arg(what);
        case TableSize::Formats:
            return QualityController::tr(
                       "The stored table of cache formats of this model cannot be used: %1.")
                .arg(what);
    }
    return {};
}

}  // namespace

struct QualityController::Impl {
    MachineFacts machine;
    QString dataFolder;
    std::unique_ptr<QTemporaryDir> ownFolder;  ///< temporary substitute for a data folder
    ChildProgram bench;
    std::string measured;  ///< fingerprint of the model being measured
    QDateTime written;  ///< modification time of the table's file at the last read or at the start
    QElapsedTimer sinceRead;
    std::optional<ModelFacts> model;
    std::array<std::shared_ptr<const QualityTable>, kTableSizes.size()> tables;
    QStringList problems;
    QString paused, gone;
    QualityProgressView progress;
    Size size = Small;
    QElapsedTimer since;       ///< time since the first setting of this run was measured
    qint64 doneAtFirst = 0;    ///< entries completed by then
    double pausedSeconds = 0;  ///< suspended time since then
    QElapsedTimer pausedSince;

    Impl(const MachineFacts& facts, const QString& folder, const QString& program)
        : machine(facts), dataFolder(folder), bench(benchProgram(program)) {
        if (dataFolder.isEmpty()) {
            ownFolder = std::make_unique<QTemporaryDir>();
            dataFolder = ownFolder->path();
        }
        bench.setDataFolder(dataFolder);
        bench.allowPause();
    }

    [[nodiscard]] std::filesystem::path pathOf(TableSize one) const {
        return tableFiles(fromQt(dataFolder), model->fingerprint, one).table;
    }
    [[nodiscard]] QDateTime timeOf(TableSize one) const {
        return QFileInfo(toQt(pathOf(one).string())).lastModified();
    }
    /// Reads the stored table of this size, or the one shipped with the model.
    void read(TableSize one) {
        auto table = readTable(pathOf(one), model->fingerprint);
        if (table && !*table)
            table = readTable(shippedTablePath(model->path, one), model->fingerprint);
        if (!table)
            problems << tableProblem(one, table.error());
        else if (*table)
            tables.at(static_cast<std::size_t>(one)) =
                std::make_shared<const QualityTable>(std::move(**table));
    }
    /// Reads results written by the process since the last read.
    void readNextChunk() {
        if (!model || model->fingerprint != measured) return;
        const TableSize one = kTableSizes.at(size);
        const QDateTime now = timeOf(one);
        if (!now.isValid() || now == written) return;
        written = now;
        problems.clear();
        read(one);
        const auto& table = tables.at(size);
        if (!table) return;
        progress.done = table->done;
        progress.total = table->total;
        reckon();
    }

    /// Selects the table to cite: complete tables first, the larger one of two.
    [[nodiscard]] const QualityTable* cited() const {
        for (const bool whole : {true, false})
            for (const Size one : {Whole, Small}) {
                const auto& table = tables.at(one);
                if (table && table->done > 0 && (table->complete() || !whole)) return table.get();
            }
        return nullptr;
    }
    [[nodiscard]] QString thisMachine() const {
        const HeadProfiles none;
        return toQt(tableHead({*model, none}, machine).machine);
    }
    /// Tables store dates in ISO format.
    [[nodiscard]] static QString dayText(const std::string& date) {
        const QDate day = QDate::fromString(toQt(date), Qt::ISODate);
        return day.isValid() ? dateText(day) : toQt(date);
    }
    [[nodiscard]] QString whereAndWhen(const QualityTable& table) const {
        const QString where =
            toQt(table.machine) == thisMachine()
                ? QualityController::tr("on this machine")
                : QualityController::tr("on another machine, %1").arg(toQt(table.machine));
        QString text = QualityController::tr("measured %1 %2").arg(dayText(table.date), where);
        if (!table.complete())
            text += QualityController::tr(", %1 of %2 so far")
                        .arg(countText(table.done), countText(table.total));
        else if (table.size == TableSize::Small)
            text += QualityController::tr(", few texts");
        return text;
    }
    void resetClock() {
        since.invalidate();
        pausedSeconds = 0;
        pausedSince.invalidate();
    }
    void reckon() {
        progress.secondsLeft = -1;
        if (!since.isValid()) {
            if (progress.done <= doneAtFirst && progress.total == 0) return;
            since.start();
            doneAtFirst = progress.done;
            return;
        }
        const auto made = static_cast<double>(progress.done - doneAtFirst);
        if (made < 1) return;
        const double seconds = static_cast<double>(since.elapsed()) / 1e3 - pausedSeconds;
        progress.secondsLeft = seconds / made * static_cast<double>(progress.total - progress.done);
    }
};

QualityController::QualityController(const MachineFacts& machine, const QString& dataFolder,
                                     const QString& program, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(machine, dataFolder, program)) {
    connect(&m_impl->bench, &ChildProgram::progress, this,
            [this](const QString&, double share) { onProgress(share); });
    connect(&m_impl->bench, &ChildProgram::ended, this, &QualityController::onEnded);
}

QualityController::~QualityController() = default;

QString QualityController::modelName() const {
    return m_impl->model ? toQt(m_impl->model->name) : QString();
}

QualityTableView QualityController::table(Size size) const {
    QualityTableView view;
    const auto& table = m_impl->tables.at(size);
    if (!table || !m_impl->model) return view;
    view.there = true;
    view.done = table->done;
    view.total = table->total;
    view.full = viewOf(table->full);
    for (const TableRow& row : table->rows) view.rows.push_back(viewOf(row));
    QString when = m_impl->whereAndWhen(*table);
    when.front() = when.front().toUpper();
    QString conditions = engineText(table->conditions);
    if (!conditions.isEmpty()) conditions.front() = conditions.front().toUpper();
    view.conditions = tr("%1, %2, precision %3. %4.")
                          .arg(when, toQt(table->program),
                               choiceWords("precision", table->precision), conditions);
    return view;
}

const QualityProgressView& QualityController::progress() const {
    return m_impl->progress;
}

QualityController::Size QualityController::filling() const {
    return m_impl->size;
}

QString QualityController::disabledReason() const {
    if (!m_impl->gone.isEmpty()) return m_impl->gone;
    if (!m_impl->model) return tr("Load a model first.");
    if (m_impl->progress.running) return tr("The quality of this model is being measured.");
    return {};
}

QString QualityController::problem() const {
    return m_impl->problems.join(QLatin1Char(' '));
}

void QualityController::measure(Size size, bool startOver) {
    if (const QString why = disabledReason(); !why.isEmpty()) {
        Q_EMIT ended(why, true);
        return;
    }
    const TableSize one = kTableSizes.at(size);
    const QString model = toQt(m_impl->model->path);
    QStringList arguments{QStringLiteral("presets"), model};
    if (size != Formats)
        arguments = {QStringLiteral("bench-compression"), model, QStringLiteral("--table"),
                     toQt(tableSizeName(one))};
    if (startOver) arguments << QStringLiteral("--fresh");
    m_impl->size = size;
    m_impl->progress = {};
    m_impl->progress.running = true;
    m_impl->progress.paused = m_impl->paused;
    m_impl->doneAtFirst = 0;
    m_impl->resetClock();
    m_impl->measured = m_impl->model->fingerprint;
    m_impl->written = m_impl->timeOf(one);
    m_impl->sinceRead.start();
    m_impl->bench.begin(arguments);
    m_impl->bench.pause(!m_impl->paused.isEmpty());
    Q_EMIT changed();
}

void QualityController::stop() {
    if (!m_impl->progress.running || m_impl->progress.stopping) return;
    m_impl->progress.stopping = true;
    m_impl->bench.stop();
    Q_EMIT changed();
}

QString QualityController::citation(const EngineConfig& config) const {
    if (!m_impl->model || config.kv.method == CompactionMethod::None) return {};
    const QString unknown = tr("Not measured on this model.");
    const QualityTable* table = m_impl->cited();
    if (table == nullptr) return unknown;
    const std::string method = tableMethodOf(config.kv, *table);
    const bool byRatio =
        config.kv.method == CompactionMethod::AttentionMatching && config.kv.amRatio > 1;
    QStringList said;
    for (const TableRow& row : table->rows) {
        if (row.method != method || row.items == 0) continue;
        // The first measured ratio that is at least the requested one. Eviction is configured by
        // slots, so all of its rows are listed.
        if (byRatio && row.ratio < config.kv.amRatio - 1e-9) continue;
        const QString figures = figuresOf(row);
        if (figures.isEmpty()) continue;
        said << tr("at %1 %2").arg(ratioWords(row.ratio), figures);
        if (byRatio) break;
    }
    if (said.isEmpty()) return unknown;
    QString text = clauses(said);
    text.front() = text.front().toUpper();
    return tr("%1 here, %2.").arg(text, m_impl->whereAndWhen(*table));
}

FormatsView QualityController::formats(const EngineConfig& asked) const {
    FormatsView view;
    if (!m_impl->model) return view;
    view.asked = toQt(formatOf(asked));
    const QualityTable* table = m_impl->tables.at(Formats).get();
    const HeadProfiles none;
    const auto presets = cachePresets({*m_impl->model, none}, m_impl->machine, table, kMaxFormatKl);
    QStringList covered;
    for (const CachePreset& preset : presets) {
        FormatRowView row;
        row.name = engineText(preset.label);
        row.key = toQt(preset.key);
        row.format = toQt(preset.format);
        row.evicts = inWords(toQt(preset.evicts));
        row.help = engineText(preset.help);
        row.refused = engineText(preset.refused);
        row.settings = textsOf(preset.settings);
        row.preset = true;
        row.asked = asksFor(asked, preset.settings);
        if (preset.measured) {
            addFigures(row, *preset.measured);
            covered << toQt(preset.measured->method);
        }
        view.rows.push_back(std::move(row));
    }
    if (table == nullptr) return view;
    for (const TableRow& one : table->rows) {
        if (!isFormatAlone(one) || one.items == 0 || covered.contains(toQt(one.method))) continue;
        FormatRowView row;
        row.name = row.format = toQt(one.method);
        const auto settings = formatAssignments(one.method);
        row.settings = textsOf(settings);
        row.asked = asksFor(asked, settings) && asked.kv.method == CompactionMethod::None;
        addFigures(row, one);
        view.rows.push_back(std::move(row));
    }
    const auto gate = formatGate(*table, kMaxFormatKl);
    if (!gate) return view;
    view.gate = engineText(gateText(*gate));
    if (gate->passed == 0) return view;
    view.passing = toQt(gate->chosen.method);
    view.passingSettings = textsOf(formatAssignments(gate->chosen.method));
    return view;
}

BitsView QualityController::bits(int keys, int values, const EngineConfig& asked,
                                 qint64 tokens) const {
    BitsView view;
    const std::string keyType = typeName(keys), valueType = typeName(values);
    view.format = toQt(formatName(keyType, valueType));
    view.tokens = tokens;
    if (!m_impl->model) return view;
    const auto settings = formatAssignments(fromQt(view.format));
    view.settings = textsOf(settings);
    view.asked = asksFor(asked, settings);
    EngineConfig with = asked;
    for (const auto& [key, value] : settings)
        if (const auto broken = changeSetting(with, key, value))
            view.refused = engineText(broken->sentence);
    if (const auto valid = check(with, &*m_impl->model, m_impl->machine); !valid)
        view.refused = engineText(violationsError(valid.error()).what);
    if (!view.refused.isEmpty()) return view;
    view.requestedBytes = bytesOfTokens(*m_impl->model, asked, tokens);
    view.bytes = bytesOfTokens(*m_impl->model, with, tokens);
    if (keys == kPlainBits && values == kPlainBits) {
        view.predictedLoss = tr("No loss: this is the 16-bit reference.");
        return view;
    }
    const QualityTable* table = m_impl->tables.at(Formats).get();
    const auto predictedLoss =
        table != nullptr ? formatLoss(*table, keyType, valueType) : std::nullopt;
    if (!predictedLoss) {
        const auto error = [](int one) {
            return one == kPlainBits ? tr("none") : percentOf(codeError(one));
        };
        view.predictedLoss =
            tr("Loss not measured, and too few other formats are measured to predict it. "
               "Squared error of the codes: keys %1, values %2.")
                .arg(error(keys), error(values));
        return view;
    }
    const QString side = predictedLoss->klMean < kMaxFormatKl ? tr("below") : tr("not below");
    const QString bound = shortText(kMaxFormatKl, 6);
    view.predictedLoss =
        predictedLoss->measured
            ? tr("Mean KL %1, measured on this model; %2 the bound of %3.")
                  .arg(klText(predictedLoss->klMean), side, bound)
            : tr("Mean KL about %1, predicted from %2 pairs measured on this model; %3 the bound "
                 "of %4.")
                  .arg(klText(predictedLoss->klMean))
                  .arg(predictedLoss->pairs)
                  .arg(side, bound);
    return view;
}

std::optional<std::pair<int, int>> QualityController::bitsOf(const QString& format) {
    // A suffix such as in "t4 +0.25" denotes extra bits that do not apply to all rows.
    const QStringList parts = format.section(QLatin1Char(' '), 0, 0).split(QLatin1Char('/'));
    const auto one = [](const QString& type) -> std::optional<int> {
        if (type == QStringLiteral("f16")) return kPlainBits;
        return rotatedBits(fromQt(type));
    };
    const auto keys = one(parts.first()), values = one(parts.last());
    if (!keys || !values) return std::nullopt;
    return std::pair(*keys, *values);
}

QString QualityController::markdown(Size size) const {
    const auto& table = m_impl->tables.at(size);
    return table ? toQt(qualityTableMarkdown(*table)) : QString();
}

QString QualityController::csv(Size size) const {
    const auto& table = m_impl->tables.at(size);
    return table ? toQt(qualityTableCsv(*table)) : QString();
}

void QualityController::setModel(const ModelFacts* facts) {
    const bool same =
        facts != nullptr && m_impl->model && m_impl->model->fingerprint == facts->fingerprint;
    m_impl->model = facts == nullptr ? std::nullopt : std::optional<ModelFacts>(*facts);
    if (!same) {
        stop();  // The process is measuring a model that is no longer loaded.
        m_impl->tables = {};
        m_impl->problems.clear();
    }
    readTables();
}

void QualityController::readTables() {
    m_impl->problems.clear();
    if (m_impl->model)
        for (const TableSize one : kTableSizes) m_impl->read(one);
    Q_EMIT changed();
}

void QualityController::setPaused(const QString& reason) {
    if (m_impl->paused == reason) return;
    m_impl->paused = reason;
    if (!m_impl->progress.running) return;
    if (!reason.isEmpty())
        m_impl->pausedSince.start();
    else if (m_impl->pausedSince.isValid())
        m_impl->pausedSeconds += static_cast<double>(m_impl->pausedSince.elapsed()) / 1e3;
    m_impl->progress.paused = reason;
    m_impl->bench.pause(!reason.isEmpty());
    Q_EMIT changed();
}

void QualityController::onProgress(double share) {
    QualityProgressView& progress = m_impl->progress;
    if (progress.total == 0 && share >= 0) progress.prepared = share;
    if (m_impl->sinceRead.elapsed() >= kReadEveryMs) {
        m_impl->sinceRead.start();
        m_impl->readNextChunk();
    }
    Q_EMIT changed();
}

void QualityController::onEnded(const ProgramEnd& end) {
    m_impl->readNextChunk();
    const QualityProgressView before = std::exchange(m_impl->progress, {});
    m_impl->resetClock();
    Q_EMIT changed();
    if (end.good)
        Q_EMIT ended(tr("Measured."), false);
    else if (end.stopped)
        Q_EMIT ended(before.total > 0 ? tr("Stopped at %1 of %2; what was measured is kept.")
                                            .arg(countText(before.done), countText(before.total))
                                      : tr("Stopped before anything was measured."),
                     false);
    else
        Q_EMIT ended(failureMessage(end), true);
}

void QualityController::onEngineEnded(const QString& reason) {
    m_impl->gone = reason;
    stop();
    Q_EMIT changed();
}

}  // namespace lacuna::app
