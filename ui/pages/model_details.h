#pragma once
/// \file
/// Model information in the window: name and facts of the loaded model in the tool bar, and a page
/// with everything known about a file. GUI thread.

#include <QWidget>

#include "app/state/models/model_controller.h"
#include "app/state/view_types.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTreeWidget;

namespace lacuna::ui {

/// Name and facts of the loaded model and the progress of loading. Placed at the left of the tool
/// bar.
class ModelBar final : public QWidget {
    Q_OBJECT

  public:
    explicit ModelBar(QWidget* parent = nullptr);
    /// `qualityShare` is the measured share of the model's quality table while a measurement runs;
    /// otherwise negative.
    void show(const app::ModelView& model, const app::HeadsView& heads, double qualityShare = -1);
    /// Shows the remote engine in use instead of the loaded model.
    void show(const app::RemoteView& remote);
    /// Width for all facts; as many are shown as fit.
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    /// Requests to skip the measurement of the model's precision.
    void skipRequested();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void keepNameVisible();
    /// Shows as many facts as fit without cutting one.
    void showFacts();
    [[nodiscard]] QString allFacts() const;

    QLabel* m_name;
    QLabel* m_facts;
    QStringList m_parts;  ///< known facts, most important first
    QProgressBar* m_progress;
    QPushButton* m_skip;
};

/// The page of a model file: its contents and what it would need on this machine in sections of
/// labelled lines, a verdict, and a button that loads it if it is not in use.
class ModelDetails final : public QWidget {
    Q_OBJECT

  public:
    explicit ModelDetails(QWidget* parent);
    /// Replaces the page.
    void showModel(const app::ModelPageView& page, bool inUse);
    /// The page as text: "label: value" lines under their headings.
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    void loadRequested(const QString& path);
    /// Requests to use a remote engine.
    void connectRequested();
    /// Requests the quality table of the current model.
    void qualityRequested();

  private:
    void fill(const app::ModelPageView& page);

    app::ModelPageView m_page;
    QLabel* m_heading;
    QLabel* m_verdict;
    QTreeWidget* m_tree;
    QPushButton* m_load;
    QPushButton* m_quality;
};

}  // namespace lacuna::ui
