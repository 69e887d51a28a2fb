#pragma once
/// \file
/// The page of reusable prefixes: the memory and disk tiers with their limits, hits and the reasons
/// for misses, and each conversation's share. GUI thread.

#include <QFrame>
#include <QWidget>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;
class QTimer;
class QVBoxLayout;

namespace lacuna::app {
class ChatController;
class ConfigController;
class MemoryController;
enum class MemoryTier;
struct TierView;
}  // namespace lacuna::app

namespace lacuna::ui {

class ConversationTable;

/// One tier: usage and limit, hits and misses, and the setting that limits it.
class DiskTierPanel final : public QFrame {
    Q_OBJECT

  public:
    DiskTierPanel(app::MemoryTier tier, app::MemoryController& memory,
                  app::ConfigController& config, QWidget* parent);
    void show(const app::TierView& view);

  private:
    const app::MemoryTier m_tier;
    const app::ConfigController& m_config;
    QLabel* m_held = nullptr;
    QProgressBar* m_filled = nullptr;
    QLabel* m_use = nullptr;
    QLabel* m_reasons = nullptr;
    QLabel* m_problem = nullptr;
    void buildFidelity(app::MemoryController& memory, QVBoxLayout* layout);

    QPushButton* m_clear = nullptr;
    QComboBox* m_fidelity = nullptr;  ///< disk tier only
};

class PrefixPage final : public QWidget {
    Q_OBJECT

  public:
    PrefixPage(app::MemoryController& memory, app::ChatController& chat,
               app::ConfigController& config, QWidget* parent);

  protected:
    /// Figures are refreshed only while visible.
    void showEvent(QShowEvent* event) override;

  private:
    void buildTiers(QVBoxLayout* layout);
    void buildTable(QVBoxLayout* layout);
    void buildUndo(QVBoxLayout* layout);
    void refresh();
    void refreshUndo();

    app::MemoryController& m_memory;
    app::ChatController& m_chat;
    app::ConfigController& m_config;
    QLabel* m_headline = nullptr;
    QLabel* m_detail = nullptr;
    DiskTierPanel* m_inMemory = nullptr;
    DiskTierPanel* m_onDisk = nullptr;
    QFrame* m_undoBar = nullptr;
    QLabel* m_undoText = nullptr;
    QPushButton* m_undo = nullptr;
    QTimer* m_countDown = nullptr;
    ConversationTable* m_rows = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_caches = nullptr;
};

}  // namespace lacuna::ui
