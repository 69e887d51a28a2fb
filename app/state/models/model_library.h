#pragma once
/// \file
/// The list of the user's models: those in added folders, recently used ones, and the bundled one,
/// each with its properties and whether it fits in memory according to the engine's plan. Files are
/// read on a separate thread. Draft models, the last model and the download folder are stored in
/// one small file. Files are deleted only on request. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>

#include "app/state/models/memory_plan_view.h"

namespace lacuna {
struct EngineConfig;
struct MachineFacts;
}  // namespace lacuna

namespace lacuna::app {

enum class CalibrationKind { Heads, Rotations, Layers, Transform, Surrogate, Centres };
inline constexpr int kCalibrationKinds = 6;

struct CalibrationState {
    bool there = false;
    QString problem;  ///< why an existing calibration cannot be used; otherwise empty
    friend bool operator==(const CalibrationState&, const CalibrationState&) = default;
};

struct ModelLibraryEntry {
    QString path;
    QString name;       ///< file or folder name
    QString folder;     ///< parent folder
    qint64 bytes = 0;   ///< total size on disk
    bool read = false;  ///< true once the members below are filled
    QString heading;    ///< name stored in the file
    QString architecture, quantisation, shape;
    qint64 parameters = 0;
    int context = 0;
    QString problem;  ///< why it would not load; empty if it would
    std::optional<MemoryPlanView> plan;
    std::array<CalibrationState, kCalibrationKinds> calibrations{};
    QString draft;  ///< path of its draft model; empty if none
    bool safetensors = false;
    bool quantised = false;  ///< true if its weights are block-quantised
    bool bundled = false;
    bool downloaded = false;  ///< true if it is in the download folder
    bool recent = false;      ///< true if it was loaded before
};

class ModelLibrary final : public QObject {
    Q_OBJECT

  public:
    /// `data` is the folder of the user's data; empty to store nothing. `config` returns the
    /// settings used for memory plans.
    ModelLibrary(const QString& data, const MachineFacts& machine,
                 std::function<EngineConfig()> config, QObject* parent = nullptr);
    ~ModelLibrary() override;

    /// Returns the bundled model first, then recently loaded ones, then the rest by name.
    [[nodiscard]] QVector<ModelLibraryEntry> rows() const;
    [[nodiscard]] const ModelLibraryEntry* row(const QString& path) const;
    [[nodiscard]] bool scanning() const;
    /// Error message of the last scan; empty on success.
    [[nodiscard]] QString problem() const;

    [[nodiscard]] QStringList folders() const;
    /// Adds a folder, which is scanned three levels deep.
    void addFolder(const QString& folder);
    void removeFolder(const QString& folder);
    /// Adds a model file or model folder.
    void addModel(const QString& path);
    /// Removes the model from the list until it is loaded or added again. Its file is kept.
    void removeFromList(const QString& path);
    /// Deletes the files of a downloaded model and its calibrations. Returns an error message if
    /// this fails or the model was not downloaded.
    [[nodiscard]] QString deleteDownloaded(const QString& path);
    /// Scans all folders again.
    void scan();
    /// Reads one model again, including its calibrations and its plan with the active settings.
    void refresh(const QString& path);

    /// Paths of the models loaded last, newest first, without the bundled one.
    [[nodiscard]] QStringList recent() const;
    /// Records that a model was loaded.
    void noteLoaded(const QString& path);
    /// Returns the model to load at program start; empty for the bundled one. `reason` is set to
    /// the reason if the last model is not loaded again. @pre the caller loads the returned model
    /// immediately
    [[nodiscard]] QString takeLast(QString* reason);
    [[nodiscard]] bool loadsLast() const;
    void setLoadsLast(bool loads);

    /// Returns the draft model of a model; empty if none.
    [[nodiscard]] QString draftOf(const QString& model) const;
    void setDraft(const QString& model, const QString& draft);

    /// Folder for downloads; empty if nothing is stored.
    [[nodiscard]] QString downloadFolder() const;
    void setDownloadFolder(const QString& folder);
    /// Hub address as typed by the user; empty for the default.
    [[nodiscard]] QString hub() const;
    void setHub(const QString& address);
    /// Waits until pending data are written; used at program exit.
    void settle();

  Q_SIGNALS:
    void changed();
    /// Emitted when the data cannot be written.
    void savingFailed(const QString& sentence);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
