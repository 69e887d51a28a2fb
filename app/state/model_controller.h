#pragma once
/// \file
/// The model: load, progress, facts, unload. Owned by the GUI thread.

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
struct HeadProfilesInForce;
struct HeadsMeasured;
struct SurrogateFitted;
}  // namespace lacuna

namespace lacuna::app {

/// What is known of the heads of the model in use (head_budgets).
struct HeadsView {
    QString note;          ///< a sentence; empty: nothing is known
    double share = -1;     ///< 0..1 while they are measured by themselves; else below 0
    double fitShare = -1;  ///< 0..1 while a surrogate is fitted by itself; else below 0
};

class ModelController final : public QObject {
    Q_OBJECT

  public:
    explicit ModelController(CommandSink& engine, QObject* parent = nullptr);
    ~ModelController() override;

    [[nodiscard]] const ModelView& view() const { return m_view; }
    [[nodiscard]] const HeadsView& heads() const { return m_heads; }
    /// A GGUF file, or a folder with safetensors, config.json and tokenizer.json; with the draft
    /// model that is chosen for it.
    void load(const QString& path);
    /// The same without a draft model.
    void loadAlone(const QString& path);
    /// Which model guesses ahead for one; empty: none.
    void setDrafts(std::function<QString(const QString& model)> drafts) {
        m_draftOf = std::move(drafts);
    }
    /// The model that ships with the program; `changed` with a problem when it is missing.
    void loadBundled();
    void unload();
    /// Ends the reading of a model; the one before stays.
    void stopLoading();
    /// Measures, while the engine is idle, which precision the loaded model needs, once more.
    void measurePrecision();
    /// Ends that; the arithmetic that every model bears stays in use.
    void skipPrecision();
    /// Fits a surrogate of reconstruction scores, while the engine is idle, once more.
    void fitSurrogate();
    /// Ends that; texts are repeated for their scores.
    void skipSurrogate();
    [[nodiscard]] bool fittingSurrogate() const { return m_heads.fitShare >= 0; }
    /// Skips what is measured now.
    void skipMeasuring();
    [[nodiscard]] bool measuringPrecision() const { return m_view.precisionShare >= 0; }
    [[nodiscard]] bool loading() const { return m_view.state == ModelState::Loading; }
    /// Asks what a model file is, without loading it; `inspected` brings the answer.
    void inspect(const QString& path);
    /// Why no question can be answered, as a sentence; empty: one can.
    [[nodiscard]] QString problem() const;

    // From the engine.
    void onLoading(const ModelLoading& event);
    void onLoaded(const ModelLoaded& event);
    void onFailed(const ModelFailed& event);
    void onUnloaded();
    void onPrecision(const PrecisionChosen& event);
    void onPrecision(const PrecisionMeasured& event);
    void onInspected(const ModelInspected& event);
    void onHeads(const HeadProfilesInForce& event);
    void onHeads(const HeadsMeasured& event);
    void onSurrogate(const SurrogateFitted& event);

  Q_SIGNALS:
    void changed();
    /// Another model is in use now.
    void loaded(const QString& path);
    /// One did not load; `draft` was to guess ahead for it, or nobody. `none`: no model is in use.
    void failed(const QString& path, const QString& draft, const QString& sentence, bool none);
    void inspected(const lacuna::app::ModelPageView& page);

  private:
    void read(const QString& path);

    CommandSink& m_engine;
    ModelView m_view;
    ModelView m_ready;  ///< the loaded one, shown again when another fails to load
    HeadsView m_heads;
    std::function<QString(const QString& model)> m_draftOf;
    QString m_draft;  ///< of the load that was asked for last
};

}  // namespace lacuna::app
