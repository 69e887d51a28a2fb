#pragma once
/// \file
/// Loads and unloads the model and publishes its progress and facts. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <utility>

#include "app/state/view_types.h"

namespace lacuna {
class CommandSink;
struct ModelFacts;
struct ModelLoading;
struct ModelLoaded;
struct ModelFailed;
struct ModelInspected;
struct PrecisionChosen;
struct PrecisionMeasured;
struct HeadProfilesInEffect;
struct HeadsMeasured;
struct SurrogateFitted;
}  // namespace lacuna

namespace lacuna::app {

/// Head profiles of the loaded model (head_budgets).
struct HeadsView {
    QString note;          ///< description; empty if nothing is known
    double share = -1;     ///< progress 0..1 of an automatic measurement; otherwise negative
    double fitShare = -1;  ///< progress 0..1 of an automatic surrogate fit; otherwise negative
};

class ModelController final : public QObject {
    Q_OBJECT

  public:
    explicit ModelController(CommandSink& engine, QObject* parent = nullptr);
    ~ModelController() override;

    [[nodiscard]] const ModelView& view() const { return m_view; }
    [[nodiscard]] const HeadsView& heads() const { return m_heads; }
    /// Loads a GGUF file, or a folder with safetensors, config.json and tokenizer.json, together
    /// with the draft model chosen for it.
    void load(const QString& path);
    /// Loads a model without a draft model.
    void loadAlone(const QString& path);
    /// Sets the lookup of the draft model for a model; empty for none.
    void setDrafts(std::function<QString(const QString& model)> drafts) {
        m_draftOf = std::move(drafts);
    }
    /// Loads the bundled model; emits `changed` with a problem if it is missing.
    void loadBundled();
    void unload();
    /// Cancels the loading of a model; the previous one stays in use.
    void stopLoading();
    /// Measures again which precision the loaded model needs, while the engine is idle.
    void measurePrecision();
    /// Cancels the measurement; the precision that is safe for every model stays in use.
    void skipPrecision();
    /// Fits a new surrogate for reconstruction scores while the engine is idle.
    void fitSurrogate();
    /// Cancels the fit; texts are repeated to compute their scores.
    void skipSurrogate();
    [[nodiscard]] bool fittingSurrogate() const { return m_heads.fitShare >= 0; }
    /// Cancels the running measurement or fit.
    void skipMeasuring();
    [[nodiscard]] bool measuringPrecision() const { return m_view.precisionShare >= 0; }
    [[nodiscard]] bool loading() const { return m_view.state == ModelState::Loading; }
    /// Requests a description of a model file without loading it; reported by `inspected`.
    void inspect(const QString& path);
    /// Returns the reason why no turn can be answered; empty if one can.
    [[nodiscard]] QString problem() const;

    // Input from the engine:
    void onLoading(const ModelLoading& event);
    void onLoaded(const ModelLoaded& event);
    void onFailed(const ModelFailed& event);
    void onUnloaded();
    void onPrecision(const PrecisionChosen& event);
    void onPrecision(const PrecisionMeasured& event);
    void onInspected(const ModelInspected& event);
    void onHeads(const HeadProfilesInEffect& event);
    void onHeads(const HeadsMeasured& event);
    void onSurrogate(const SurrogateFitted& event);

  Q_SIGNALS:
    void changed();
    /// Emitted when another model is in use.
    void loaded(const QString& path);
    /// Emitted when loading failed. `draft` is the draft model of that load, or empty; `none` is
    /// true if no model is in use.
    void failed(const QString& path, const QString& draft, const QString& sentence, bool none);
    void inspected(const lacuna::app::ModelPageView& page);

  private:
    void read(const QString& path);

    CommandSink& m_engine;
    ModelView m_view;
    ModelView m_ready;  ///< the loaded model, shown again if another one fails to load
    HeadsView m_heads;
    std::function<QString(const QString& model)> m_draftOf;
    QString m_draft;  ///< draft model of the last requested load
};

}  // namespace lacuna::app
