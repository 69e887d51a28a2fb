#include "app/state/models/model_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "app/state/engine/engine_text.h"
#include "app/state/number_format.h"
#include "app/state/view_rows.h"
#include "engine/base/json.h"
#include "engine/session/calibration_files.h"
#include "engine/session/model_page.h"
#include "engine/settings/setting_value.h"

namespace lacuna::app {

namespace {

const QRegularExpression& splitPattern() {
    static const QRegularExpression pattern(
        QStringLiteral("\\A(.*)-(\\d{5})-of-(\\d{5})\\.gguf\\z"),
        QRegularExpression::CaseInsensitiveOption);
    return pattern;
}

bool isModelFolder(const QDir& folder) {
    return folder.exists(QStringLiteral("config.json")) &&
           !folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty();
}

/// Returns true for calibration files, which are not models.
bool isCalibration(const QString& name) {
    return name.endsWith(QLatin1String(".rotations.safetensors"));
}

void lookInto(const QString& path, int depth, QStringList& found, const std::atomic<bool>& stop) {
    const QDir folder(path);
    if (stop || found.size() >= kMaxModels) return;
    if (isModelFolder(folder)) {
        found << folder.absolutePath();
        return;
    }
    for (const QFileInfo& file :
         folder.entryInfoList({QStringLiteral("*.gguf")}, QDir::Files, QDir::Name)) {
        const auto split = splitPattern().match(file.fileName());
        if (split.hasMatch() && split.captured(2).toInt() != 1) continue;
        if (found.size() < kMaxModels) found << file.absoluteFilePath();
    }
    if (depth == 0) return;
    for (const QFileInfo& below :
         folder.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks, QDir::Name))
        if (!below.fileName().endsWith(QLatin1String(".part")))
            lookInto(below.absoluteFilePath(), depth - 1, found, stop);
}

qint64 number(const OrderedJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? found->get<qint64>() : 0;
}

QString text(const OrderedJson& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? toQt(found->get_ref<const std::string&>())
                                                     : QString();
}

/// Returns the cache format in the settings, which selects a row of the memory plan.
QString cacheTypeOf(const EngineConfig& config) {
    return toQt(settingValueText(config, "kv_type")).toUpper();
}

std::optional<MemoryPlanView> planOf(const OrderedJson& json, const EngineConfig& config,
                                     const QString& name) {
    const auto plan = json.find("memory_plan");
    if (plan == json.end()) return std::nullopt;
    MemoryPlanView view;
    view.model = name;
    view.verdict = engineText(text(*plan, "verdict").toStdString());
    view.limit = number(*plan, "available_bytes");
    view.context = number(json, "context");
    const std::string wanted = fromQt(cacheTypeOf(config));
    const OrderedJson* row = nullptr;
    for (const OrderedJson& one : (*plan)["caches"])
        if (row == nullptr || one.value("type", "") == wanted) row = &one;
    if (row == nullptr) return std::nullopt;
    view.cacheType = text(*row, "type");
    view.fits = row->value("fits", false);
    view.largest = number(*row, "largest_context");
    view.planned.set(MemoryPart::Weights, number(*plan, "weight_bytes"));
    view.planned.set(MemoryPart::Activations, number(*plan, "activation_bytes"));
    view.planned.set(MemoryPart::Live, number(*row, "live_bytes"));
    view.planned.set(MemoryPart::States, number(*row, "state_bytes"));
    view.planned.set(MemoryPart::Checkpoints, number(*row, "checkpoint_bytes"));
    view.oneCheckpoint = number(*plan, "bytes_of_one_checkpoint");
    view.planned.set(MemoryPart::Slack, number(*row, "slack_bytes"));
    view.planned.set(MemoryPart::Shadow, number(*row, "shadow_bytes"));
    view.planned.set(MemoryPart::Kept, number(*row, "kept_bytes"));
    view.planned.set(MemoryPart::Passing, number(*row, "passing_bytes"));
    view.planned.set(MemoryPart::Rest, -1);
    return view;
}

void readCalibrations(ModelLibraryEntry& row, const QString& kept) {
    const auto files = calibrationsOf(std::filesystem::path(fromQt(row.path)),
                                      std::filesystem::path(fromQt(kept)));
    if (!files) return;
    for (std::size_t i = 0; i < files->size() && i < row.calibrations.size(); ++i)
        row.calibrations[i] = {(*files)[i].usable, engineText((*files)[i].problem)};
}

}  // namespace

QStringList modelsBelow(const QString& folder, const std::atomic<bool>& stop) {
    QStringList found;
    lookInto(folder, kFolderDepth, found, stop);
    return found;
}

QStringList filesOf(const QString& path) {
    const QFileInfo file(path);
    if (file.isDir()) {
        QStringList files;
        for (const QFileInfo& one : QDir(path).entryInfoList(QDir::Files))
            if (!isCalibration(one.fileName())) files << one.absoluteFilePath();
        return files;
    }
    const auto split = splitPattern().match(file.fileName());
    if (!split.hasMatch()) return {file.absoluteFilePath()};
    QStringList files;
    const int parts = std::min(split.captured(3).toInt(), kMaxModels);
    for (int part = 1; part <= parts; ++part) {
        const QString name = QStringLiteral("%1-%2-of-%3.gguf")
                                 .arg(split.captured(1))
                                 .arg(part, 5, 10, QLatin1Char('0'))
                                 .arg(split.captured(3));
        if (file.dir().exists(name)) files << file.dir().filePath(name);
    }
    return files;
}

QStringList calibrationFilesOf(const QString& path) {
    const QFileInfo file(path);
    if (file.isDir()) return {};  // Calibrations of a folder model are stored inside the folder.
    QStringList files;
    const QString stem = file.completeBaseName();
    for (const char* end :
         {".heads.json", ".questions.heads.json", ".rotations.safetensors", ".layers.json",
          ".transform", ".surrogate.safetensors", ".centres.safetensors", ".precision.json",
          ".small.quality.json", ".whole.quality.json", ".formats.quality.json"})
        if (const QString name = stem + QLatin1String(end); file.dir().exists(name))
            files << file.dir().filePath(name);
    return files;
}

ModelLibraryEntry readModel(const QString& path, const ReadingContext& dependencies) {
    ModelLibraryEntry row;
    const QFileInfo file(path);
    row.path = path;
    row.name = file.fileName();
    row.folder = file.absolutePath();
    row.safetensors = file.isDir();
    for (const QString& one : filesOf(path)) row.bytes += QFileInfo(one).size();
    row.read = true;
    if (!file.exists()) {
        row.problem = ModelLibrary::tr("It no longer exists.");
        return row;
    }
    const auto json = inspectModel(std::filesystem::path(fromQt(path)), dependencies.machine,
                                   dependencies.config);
    if (!json) {
        row.problem = engineText(json.error().what);
        return row;
    }
    row.heading = text(*json, "name");
    row.architecture = text(*json, "architecture");
    row.quantisation = text(*json, "file_type");
    row.parameters = number(*json, "parameters");
    row.context = static_cast<int>(number(*json, "context"));
    if (const auto shape = json->find("shape"); shape != json->end())
        row.shape =
            ModelLibrary::tr("%1 layers x %2")
                .arg(countText(number(*shape, "layers")), countText(number(*shape, "hidden")));
    const QString type = row.quantisation.toUpper();
    row.quantised = !type.isEmpty() && type != QLatin1String("F32") &&
                    type != QLatin1String("F16") && type != QLatin1String("BF16");
    if (!json->value("supported", false)) {
        if (const auto reason = json->find("reason"); reason != json->end())
            row.problem = engineText(text(*reason, "text").toStdString());
        return row;
    }
    row.plan = planOf(*json, dependencies.config, row.name);
    readCalibrations(row, dependencies.kept);
    return row;
}

}  // namespace lacuna::app
