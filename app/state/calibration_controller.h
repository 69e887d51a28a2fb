#pragma once
/// \file
/// The rotations of rotated codes on the model in use: which ones there are, and calibrating them
/// while nothing is answered. What was found counts once the model is loaded again. Owned by the
/// GUI thread.

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
    QString now;       ///< which rotations there are, a sentence; empty: no model is in use
    QString whyNot;    ///< why none can be calibrated, a sentence; empty: they can
    QString sentence;  ///< how far it is, or how it ended; empty: neither
    bool problem = false;
    bool running = false;
    bool stopping = false;
    double share = 0;        ///< 0..1, of the text
    bool loadAgain = false;  ///< what was found waits for the model to be loaded again
};

class CalibrationController final : public QObject {
    Q_OBJECT

  public:
    CalibrationController(CommandSink& engine, const MachineFacts& machine,
                          QObject* parent = nullptr);
    ~CalibrationController() override;

    [[nodiscard]] CalibrationView view() const;
    /// Begins on the text that comes with the program.
    void calibrate();
    /// Nothing of it is kept.
    void stop();
    /// Loads the model in use again, which takes what was found into use; caches are read again
    /// with the next question of their conversations.
    void loadAgain();

    // From the other controllers.
    void setModel(const ModelFacts* facts);
    /// `reason` an answer or a measurement that comes first, as a sentence; empty: none.
    void setPaused(const QString& reason);

    // From the engine.
    void onCalibrated(const RotationsCalibrated& event);
    void onEngineGone(const QString& reason);

  Q_SIGNALS:
    void changed();
    void loadWanted(const QString& path);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
