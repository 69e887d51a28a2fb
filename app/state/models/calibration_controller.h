#pragma once
/// \file
/// Calibration of the rotations used by rotated codes for the loaded model. It runs while no answer
/// is computed, and its result takes effect when the model is loaded again. Owned by the GUI
/// thread.

#include <QObject>
#include <QString>
#include <memory>

namespace lacuna {
class CommandSink;
struct MachineFacts;
struct ModelFacts;
struct RotationsCalibrated;
}  // namespace lacuna

namespace lacuna::app {

struct CalibrationView {
    QString now;             ///< describes the current rotations; empty if no model is loaded
    QString disabledReason;  ///< why calibration is unavailable; empty if it is available
    QString sentence;        ///< progress or result; empty before the first run
    bool problem = false;
    bool running = false;
    bool stopping = false;
    double share = 0;        ///< progress over the text, 0..1
    bool loadAgain = false;  ///< true if the result takes effect when the model is loaded again
};

class CalibrationController final : public QObject {
    Q_OBJECT

  public:
    CalibrationController(CommandSink& engine, const MachineFacts& machine,
                          QObject* parent = nullptr);
    ~CalibrationController() override;

    [[nodiscard]] CalibrationView view() const;
    /// Starts a calibration on the bundled text.
    void calibrate();
    /// Cancels the calibration and discards its result.
    void stop();
    /// Loads the model again to apply the result. Caches are rebuilt with the next turn of their
    /// conversation.
    void loadAgain();

    // Input from the other controllers:
    void setModel(const ModelFacts* facts);
    /// Pauses the calibration. `reason` names the answer or measurement with priority; empty
    /// resumes.
    void setPaused(const QString& reason);

    // Input from the engine:
    void onCalibrated(const RotationsCalibrated& event);
    void onEngineEnded(const QString& reason);

  Q_SIGNALS:
    void changed();
    void loadRequested(const QString& path);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
