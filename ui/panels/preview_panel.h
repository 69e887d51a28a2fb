#pragma once
/// \file
/// Predicts the effect of a compaction next to the settings that decide it: live bytes, slots and
/// error as they are, as estimated, and as measured afterwards. If changes are tried first, they
/// wait here until applied. A passive view. GUI thread.

#include <QFrame>
#include <QTimer>
#include <array>

class QCheckBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace lacuna::app {
class ConversationCache;
class ConversationList;
class ConfigController;
class PreviewController;
class QualityController;
}  // namespace lacuna::app

namespace lacuna::ui {

class PreviewPanel final : public QFrame {
    Q_OBJECT

  public:
    PreviewPanel(app::PreviewController& preview, app::ConfigController& config,
                 const app::ConversationList& conversations, app::ConversationCache& cache,
                 app::QualityController& quality, QWidget* parent = nullptr);

    /// Live bytes, slots, error: current, estimated, measured.
    static constexpr int kFigures = 4, kMoments = 3;
    [[nodiscard]] QString figure(int row, int moment) const;
    [[nodiscard]] QString sentence() const;
    /// Quality measured earlier on this model with the requested settings.
    [[nodiscard]] QString citation() const;

  private:
    void buildHead(QVBoxLayout* layout);
    void buildFigures(QVBoxLayout* layout);
    void buildButtons(QVBoxLayout* layout);
    void settingsMoved();
    void apply();
    void refresh();
    void showFigures();
    void showSentence();
    void showButtons();
    void showCitation();

    app::PreviewController& m_preview;
    app::ConfigController& m_config;
    const app::ConversationList& m_conversations;
    app::ConversationCache& m_cache;
    app::QualityController& m_quality;
    QTimer m_rest;  ///< delay before drafts are estimated automatically
    QCheckBox* m_tryFirst = nullptr;
    std::array<std::array<QLabel*, kMoments>, kFigures> m_figures{};
    QLabel* m_sentence = nullptr;
    QLabel* m_citation = nullptr;
    QPushButton* m_estimate = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_revert = nullptr;
    QPushButton* m_compact = nullptr;
    QString m_message;  ///< when the applied change takes effect; cleared when a setting changes
};

}  // namespace lacuna::ui
