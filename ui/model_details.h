#pragma once
/// \file
/// The model in the window: name and facts of the loaded one in the tool bar, and all that is known
/// of a file on a page. GUI thread.

#include <QDialog>
#include <QWidget>

#include "app/state/model_controller.h"
#include "app/state/view_types.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTreeWidget;

namespace lacuna::ui {

/// Name and facts of the loaded model, progress of a load. Sits at the left of the tool bar.
class ModelBar final : public QWidget {
    Q_OBJECT

  public:
    explicit ModelBar(QWidget* parent = nullptr);
    /// `qualityShare` of its quality table that is measured, while that goes on; else below 0.
    void show(const app::ModelView& model, const app::HeadsView& heads, double qualityShare = -1);
    /// The engine elsewhere that answers, in place of the loaded model.
    void show(const app::RemoteView& remote);
    /// Room for all that is known, so that as much of it is shown as there is room for.
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    /// The precision of the model shall not be measured now.
    void skipWanted();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void keepName();
    /// As many of the facts as there is room for, none of them cut.
    void showFacts();
    [[nodiscard]] QString allFacts() const;

    QLabel* m_name;
    QLabel* m_facts;
    QStringList m_parts;  ///< what is known of it, the most telling first
    QProgressBar* m_progress;
    QPushButton* m_skip;
};

/// What a model file is and what it would take on this machine, on one page: sections of labelled
/// lines, a sentence with the verdict, and a button that loads it when it is not in use.
class ModelDetails final : public QDialog {
    Q_OBJECT

  public:
    explicit ModelDetails(QWidget* parent);
    /// Replaces the page and brings the window to the front.
    void show(const app::ModelPageView& page, bool inUse);
    /// The page as text, "label: value" lines under their headings.
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    void loadAsked(const QString& path);
    /// An engine elsewhere shall answer.
    void connectAsked();
    /// The quality table of the model in use is wanted.
    void qualityAsked();

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
