#pragma once
/// \file
/// Long-running work on model files: calibrating, converting, quantising. Each job runs a
/// command-line command in a separate process (child_program.h), one at a time, and is killed when
/// the window closes. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

#include "app/state/models/model_library.h"

namespace lacuna::app {

struct ProgramEnd;

struct JobView {
    QString title;  ///< "Calibrating rotations of m.gguf"; empty before the first job
    QString model;  ///< path of the model being processed
    bool running = false;
    bool stopping = false;
    double share = -1;  ///< progress 0..1; negative if unknown
    QString line;       ///< progress text of the command
    QString sentence;   ///< result
    bool problem = false;
    QString made;  ///< path of the created model; empty if none
    /// True if the result takes effect when the model is loaded again.
    bool calibrated = false;
};

class ModelJobs final : public QObject {
    Q_OBJECT

  public:
    /// `program` is the path of this executable; if empty, it is found automatically.
    explicit ModelJobs(const QString& program, QObject* parent = nullptr);
    /// Stops a running job and discards its output.
    ~ModelJobs() override;

    [[nodiscard]] const JobView& view() const;
    void calibrate(const QString& model, CalibrationKind kind);
    /// Converts a folder of safetensors to one GGUF file of type q8_0, f16, bf16 or f32.
    void convert(const QString& folder, const QString& out, const QString& type);
    /// Quantises a model with unquantised weights.
    void quantise(const QString& model, const QString& out, const QString& type);
    void stop();

    /// Types supported by convert and quantise, in command-line syntax.
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

/// Returns the name of a calibration, such as "Rotations", and its purpose.
[[nodiscard]] QString calibrationName(CalibrationKind kind);
[[nodiscard]] QString calibrationHelp(CalibrationKind kind);

}  // namespace lacuna::app
