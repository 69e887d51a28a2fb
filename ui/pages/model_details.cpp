#include "ui/pages/model_details.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kNameRoom = 150;    ///< px
constexpr int kFactsMargin = 28;  ///< px around and between name and facts

QString parametersText(qint64 parameters) {
    const double millions = static_cast<double>(parameters) / 1e6;
    if (millions < 1000)
        return ModelBar::tr("%1 M parameters").arg(app::realText(millions, millions < 10 ? 2 : 1));
    return ModelBar::tr("%1 B parameters").arg(app::realText(millions / 1e3, 1));
}

/// Running activities, followed by the properties.
QStringList factsOf(const app::ModelView& model, const app::HeadsView& heads, double qualityShare) {
    QStringList facts{model.fileType, parametersText(model.parameters),
                      app::bytesText(model.weightBytes),
                      ModelBar::tr("context %1").arg(app::countText(model.context))};
    if (heads.share >= 0)
        facts.prepend(ModelBar::tr("measuring its heads: %1 %")
                          .arg(static_cast<int>(std::lround(heads.share * 100))));
    if (heads.fitShare >= 0)
        facts.prepend(ModelBar::tr("fitting its surrogate: %1 %")
                          .arg(static_cast<int>(std::lround(heads.fitShare * 100))));
    if (model.precisionShare >= 0)
        facts.prepend(ModelBar::tr("measuring its precision: %1 %")
                          .arg(static_cast<int>(std::lround(model.precisionShare * 100))));
    if (qualityShare >= 0)
        facts.prepend(ModelBar::tr("measuring its quality: %1 %")
                          .arg(static_cast<int>(std::lround(qualityShare * 100))));
    return facts;
}

QString longText(const app::ModelView& model, const app::HeadsView& heads) {
    if (!model.layerHeads.isEmpty())
        return ModelBar::tr(
                   "%1\n%2 layers, %3 query heads, vocabulary %4\n%5\nLicence: %6\n"
                   "Precision: %7\n%8\n%9")
            .arg(model.path)
            .arg(model.layers)
            .arg(model.heads)
            .arg(app::countText(model.vocabulary), model.layerHeads,
                 model.licence.isEmpty() ? ModelBar::tr("not stated") : model.licence,
                 model.precisionNote.isEmpty() ? ModelBar::tr("as set") : model.precisionNote,
                 model.templateNote, heads.note)
            .trimmed();
    return ModelBar::
        tr("%1\n%2 layers, %3 query heads, %4 key heads of size %5, vocabulary %6\nLicence: %7\n"
           "Precision: %8\n%9\n%10")
            .arg(model.path)
            .arg(model.layers)
            .arg(model.heads)
            .arg(model.kvHeads)
            .arg(model.headDim)
            .arg(app::countText(model.vocabulary),
                 model.licence.isEmpty() ? ModelBar::tr("not stated") : model.licence,
                 model.precisionNote.isEmpty() ? ModelBar::tr("as set") : model.precisionNote,
                 model.templateNote, heads.note)
            .trimmed();
}

}  // namespace

ModelBar::ModelBar(QWidget* parent)
    : QWidget(parent),
      m_name(shrinkingLabel(this)),
      m_facts(shrinkingCaption(this)),
      m_progress(shareBar(160, this)),
      m_skip(new QPushButton(tr("Skip measuring"), this)) {
    m_name->setFont(Theme::font(FontRole::Title));
    setAccessible(m_progress, tr("Model load progress"));
    QHBoxLayout* layout = rowLayout(this);
    layout->setContentsMargins(Spacing::unit, 0, Spacing::wide, 0);
    layout->addWidget(m_name);
    layout->addWidget(m_facts);
    layout->addWidget(m_skip);
    layout->addWidget(m_progress);
    setAccessible(m_skip, tr("Skip measuring"));
    connect(m_skip, &QPushButton::clicked, this, &ModelBar::skipRequested);
    show({}, {});
}

void ModelBar::show(const app::ModelView& model, const app::HeadsView& heads, double qualityShare) {
    const bool loading = model.state == app::ModelState::Loading;
    m_progress->setVisible(loading);
    const bool precision = model.precisionShare >= 0;
    m_skip->setVisible(model.state == app::ModelState::Ready && (precision || heads.fitShare >= 0));
    m_skip->setToolTip(tipText(precision
                                   ? tr("Skip measuring the precision: answers are computed with "
                                        "two 8-bit terms, which every model tolerates.")
                                   : tr("Skip fitting the surrogate: texts are repeated between "
                                        "answers to find out which of their tokens are needed.")));
    m_facts->setVisible(model.state == app::ModelState::Ready || loading);
    showShare(*m_progress, model.loadShare);
    switch (model.state) {
        case app::ModelState::None:
            m_name->setText(tr("No model loaded"));
            break;
        case app::ModelState::Failed:
            m_name->setText(tr("Model not loaded"));
            break;
        case app::ModelState::Loading:
            m_name->setText(tr("Loading %1").arg(oneLine(model.name, kMaxTitleLength)));
            m_parts = {app::percentText(model.loadShare)};
            break;
        case app::ModelState::Ready:
            m_name->setText(oneLine(model.name, kMaxTitleLength));
            m_parts = factsOf(model, heads, qualityShare);
            break;
    }
    keepNameVisible();
    setToolTip(
        tipText(model.state == app::ModelState::Ready ? longText(model, heads) : model.problem));
}

void ModelBar::show(const app::RemoteView& remote) {
    m_progress->hide();
    m_skip->hide();
    m_facts->show();
    m_name->setText(oneLine(remote.name, kMaxTitleLength));
    m_parts = {oneLine(remote.model, kMaxTitleLength)};
    if (!remote.family.isEmpty()) m_parts << remote.family;
    if (!remote.problem.isEmpty()) m_parts.prepend(oneLine(remote.problem, kMaxTitleLength));
    keepNameVisible();
    setToolTip(
        tipText(tr("%1\nThe local model stays loaded and answers again after you disconnect.\n%2")
                    .arg(remote.address, remote.problem)
                    .trimmed()));
}

/// Shortens the facts before the name.
void ModelBar::keepNameVisible() {
    m_name->setMinimumWidth(std::min(m_name->sizeHint().width(), kNameRoom));
    showFacts();
    updateGeometry();
}

void ModelBar::showFacts() {
    const int name = std::min(m_name->sizeHint().width(), width() * 2 / 3);
    const int skip = m_skip->isHidden() ? 0 : m_skip->sizeHint().width() + kFactsMargin / 2;
    const int room = width() - name - kFactsMargin - skip;
    QString shown;  // a truncated fact is meaningless
    for (const QString& part : m_parts) {
        const QString more = shown.isEmpty() ? part : shown + factSeparator() + part;
        if (m_facts->fontMetrics().horizontalAdvance(more) > room) break;
        shown = more;
    }
    m_facts->setText(shown);
    m_facts->setToolTip(tipText(allFacts()));
}

QString ModelBar::allFacts() const {
    return m_parts.join(factSeparator());
}

QSize ModelBar::sizeHint() const {
    const QFontMetrics letters = m_facts->fontMetrics();
    const int more =
        letters.horizontalAdvance(allFacts()) - letters.horizontalAdvance(m_facts->text());
    return QWidget::sizeHint() + QSize(std::max(0, more), 0);
}

void ModelBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showFacts();
}

ModelDetails::ModelDetails(QWidget* parent)
    : QWidget(parent),
      m_heading(plainLabel({}, this)),
      m_verdict(plainLabel({}, this)),
      m_tree(new QTreeWidget(this)),
      m_load(nullptr),
      m_quality(nullptr) {
    setWindowTitle(tr("Model details"));
    m_heading->setFont(Theme::font(FontRole::Title));
    m_heading->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_heading->setAccessibleName(tr("Model"));
    m_verdict->setAccessibleName(tr("Use of this model"));
    setAccessible(m_tree, tr("Model details"));
    m_tree->setColumnCount(2);
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setUniformRowHeights(false);
    m_tree->setWordWrap(true);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_tree->header()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox(this);
    m_load = buttons->addButton(tr("Load this model"), QDialogButtonBox::AcceptRole);
    m_quality = buttons->addButton(tr("Quality\u2026"), QDialogButtonBox::ActionRole);
    m_quality->setToolTip(
        tipText(tr("Loss of compaction on this model by method and ratio, measured here.")));
    connect(m_quality, &QPushButton::clicked, this, &ModelDetails::qualityRequested);
    QPushButton* elsewhere =
        buttons->addButton(tr("Connect to an engine\u2026"), QDialogButtonBox::ActionRole);
    elsewhere->setToolTip(
        tipText(tr("Let a remote engine answer, with a model that does not fit here.")));
    connect(elsewhere, &QPushButton::clicked, this, &ModelDetails::connectRequested);
    QPushButton* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tipText(tr("Copy this page as text.")));
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(text()); });
    for (QAbstractButton* button : buttons->buttons()) setAccessible(button, button->text());
    connect(buttons, &QDialogButtonBox::accepted, this,
            [this] { Q_EMIT loadRequested(m_page.path); });
    QVBoxLayout* layout = pageLayout(this);
    layout->addWidget(m_heading);
    layout->addWidget(m_verdict);
    layout->addWidget(m_tree, 1);
    layout->addWidget(buttons);
    setFocusProxy(m_tree);
}

void ModelDetails::showModel(const app::ModelPageView& page, bool inUse) {
    m_page = page;
    m_heading->setText(oneLine(page.heading, kMaxTitleLength));
    const QString state = !page.problem.isEmpty()
                              ? tr("This file cannot be used: %1").arg(page.problem)
                          : inUse ? tr("This model is loaded.")
                                  : tr("This model can be loaded.");
    m_verdict->setText(page.verdict.isEmpty() ? state : state + QLatin1Char(' ') + page.verdict);
    m_load->setVisible(!inUse && page.problem.isEmpty());
    m_quality->setVisible(inUse);
    fill(page);
}

void ModelDetails::fill(const app::ModelPageView& page) {
    m_tree->clear();
    for (const app::ModelPageView::Section& section : page.sections) {
        auto* group = new QTreeWidgetItem(m_tree, {section.title});
        QFont bold = group->font(0);
        bold.setWeight(QFont::DemiBold);
        group->setFont(0, bold);
        group->setFirstColumnSpanned(true);
        for (const app::ModelPageView::Line& line : section.lines) {
            auto* row = new QTreeWidgetItem(group, {line.label, line.value});
            row->setToolTip(1, tipText(line.value));
        }
        group->setExpanded(true);
    }
}

QString ModelDetails::text() const {
    QString out = m_page.heading + QLatin1Char('\n');
    for (const app::ModelPageView::Section& section : m_page.sections) {
        out += QLatin1Char('\n') + section.title + QLatin1Char('\n');
        for (const app::ModelPageView::Line& line : section.lines)
            out += line.label + QStringLiteral(": ") + line.value + QLatin1Char('\n');
    }
    return out;
}

}  // namespace lacuna::ui
