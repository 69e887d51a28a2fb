#pragma once
/// \file
/// The models that a person has: those in folders that were added, those used before, the one that
/// comes with the program; what each is and whether it fits here by the engine's own plan. Files
/// are read on a thread of its own. What is chosen for a model (a draft model), what was loaded
/// last and where downloads go is kept in one small file. Nothing here removes a file unless it is
/// asked to. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>

#include "app/state/memory_plan_view.h"

namespace lacuna {
struct EngineConfig;
struct MachineFacts;
}  // namespace lacuna

namespace lacuna::app {

enum class CalibrationKind { Heads, Rotations, Layers, Transform, Surrogate, Centres };
inline constexpr int kCalibrationKinds = 6;

struct CalibrationState {
    bool there = false;
    QString problem;  ///< why what lies there cannot be used; empty: it can, or nothing lies there
    friend bool operator==(const CalibrationState&, const CalibrationState&) = default;
};

struct ShelfRow {
    QString path;
    QString name;       ///< of the file or folder
    QString folder;     ///< it lies in
    qint64 bytes = 0;   ///< on disk, all parts
    bool read = false;  ///< what follows is known
    QString heading;    ///< name within the file
    QString architecture, quantisation, shape;
    qint64 parameters = 0;
    int context = 0;
    QString problem;  ///< why it would not load, a sentence; empty: it would
    std::optional<MemoryPlanView> plan;
    std::array<CalibrationState, kCalibrationKinds> calibrations{};
    QString draft;  ///< path of the draft model chosen for it; empty: none
    bool safetensors = false;
    bool quantised = false;  ///< its weights are in blocks already
    bool bundled = false;
    bool downloaded = false;  ///< lies in the folder of downloads
    bool recent = false;      ///< was loaded before
};

class ModelShelf final : public QObject {
    Q_OBJECT

  public:
    /// `data`: a person's folder; empty: nothing is kept. `config` gives the settings that plans
    /// are made with.
    ModelShelf(const QString& data, const MachineFacts& machine,
               std::function<EngineConfig()> config, QObject* parent = nullptr);
    ~ModelShelf() override;

    /// The bundled one, then by when they were loaded, then by name.
    [[nodiscard]] QVector<ShelfRow> rows() const;
    [[nodiscard]] const ShelfRow* row(const QString& path) const;
    [[nodiscard]] bool scanning() const;
    /// What went wrong with the last scan, a sentence; empty: nothing.
    [[nodiscard]] QString problem() const;

    [[nodiscard]] QStringList folders() const;
    /// Looks through it and, three levels deep, what lies in it.
    void addFolder(const QString& folder);
    void removeFolder(const QString& folder);
    /// A file or a folder with a model.
    void addModel(const QString& path);
    /// Takes it off the list; it comes back when it is loaded or added. The file stays.
    void removeFromList(const QString& path);
    /// Deletes the files of a downloaded model and what was calibrated on it. A sentence when it
    /// cannot be, or is none of the downloaded ones.
    [[nodiscard]] QString deleteDownloaded(const QString& path);
    /// Looks at all of it again.
    void scan();
    /// Reads one model again: what was calibrated on it, its plan with the settings in force.
    void refresh(const QString& path);

    /// A model came into use.
    void noteLoaded(const QString& path);
    /// Which model is loaded at the start; empty: the bundled one. `why` says, where a model was
    /// loaded last, why it is not taken again; the caller is about to load what this returns.
    [[nodiscard]] QString takeLast(QString* why);
    [[nodiscard]] bool loadsLast() const;
    void setLoadsLast(bool loads);

    /// Guesses ahead for a model; empty: none.
    [[nodiscard]] QString draftOf(const QString& model) const;
    void setDraft(const QString& model, const QString& draft);

    /// Where downloads go. Empty: nowhere, because nothing is kept.
    [[nodiscard]] QString downloadFolder() const;
    void setDownloadFolder(const QString& folder);
    /// As a person wrote it; empty: the usual one.
    [[nodiscard]] QString hub() const;
    void setHub(const QString& address);
    /// Waits until what is to be kept is on disk; for the end of the program.
    void settle();

  Q_SIGNALS:
    void changed();
    /// What is kept cannot be written, a sentence.
    void notKept(const QString& sentence);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
