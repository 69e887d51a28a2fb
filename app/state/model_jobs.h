#pragma once
/// \file
/// Work on model files that takes minutes: calibrating, converting, quantising. Each is the command
/// of the command line, run in a process of its own (own_program.h). One at a time; it ends with
/// the window. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

#include "app/state/model_shelf.h"

namespace lacuna::app {

struct ProgramEnd;

struct JobView {
    QString title;  ///< "Calibrating rotations of m.gguf"; empty: nothing was begun yet
    QString model;  ///< path it works on
    bool running = false;
    bool stopping = false;
    double share = -1;  ///< 0..1; below 0: not known
    QString line;       ///< what it says of its progress
    QString sentence;   ///< how it ended
    bool problem = false;
    QString made;  ///< path of the model that was written; empty: none
    /// Counts once the model is loaded again.
    bool calibrated = false;
};

class ModelJobs final : public QObject {
    Q_OBJECT

  public:
    /// `program`: this one's path; empty: found by itself.
    explicit ModelJobs(const QString& program, QObject* parent = nullptr);
    /// Stops what runs; nothing of it is kept.
    ~ModelJobs() override;

    [[nodiscard]] const JobView& view() const;
    void calibrate(const QString& model, CalibrationKind kind);
    /// A folder of safetensors to one GGUF file: q8_0, f16, bf16, f32.
    void convert(const QString& folder, const QString& out, const QString& type);
    /// A model with plain weights in fewer bits.
    void quantise(const QString& model, const QString& out, const QString& type);
    void stop();

    /// Types that convert and quantise know, as the command line writes them.
    [[nodiscard]] static QStringList convertTypes();
    [[nodiscard]] static QStringList quantiseTypes();

  Q_SIGNALS:
    void changed();
    void ended();

  private:
    struct Impl;
    void begin(JobView job, const QString& out, const QStringList& arguments);
    void finish(const ProgramEnd& end);
    std::unique_ptr<Impl> m_impl;
};

/// "Rotations", and what they are for.
[[nodiscard]] QString calibrationName(CalibrationKind kind);
[[nodiscard]] QString calibrationHelp(CalibrationKind kind);

}  // namespace lacuna::app
