#include "ui/model_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <cmath>

#include "app/state/number_format.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

QString parametersText(qint64 parameters) {
    const double millions = static_cast<double>(parameters) / 1e6;
    if (millions < 1000)
        return ModelBar::tr("%1 M parameters").arg(app::realText(millions, millions < 10 ? 2 : 1));
    return ModelBar::tr("%1 B parameters").arg(app::realText(millions / 1e3, 1));
}

QString factsText(const app::ModelView& model) {
    return QStringList{model.fileType, parametersText(model.parameters),
                       app::bytesText(model.weightBytes),
                       ModelBar::tr("context %1").arg(app::countText(model.context))}
        .join(QStringLiteral("  ") + QChar(0x00B7) + QStringLiteral("  "));
}

QString longText(const app::ModelView& model) {
    return ModelBar::
        tr("%1\n%2 layers, %3 query heads, %4 key heads of size %5, vocabulary %6\nLicence: %7\n%8")
            .arg(model.path)
            .arg(model.layers)
            .arg(model.heads)
            .arg(model.kvHeads)
            .arg(model.headDim)
            .arg(app::countText(model.vocabulary),
                 model.licence.isEmpty() ? ModelBar::tr("not stated") : model.licence,
                 model.templateNote);
}

}  // namespace

ModelBar::ModelBar(QWidget* parent)
    : QWidget(parent),
      m_name(plainLabel({}, this)),
      m_facts(captionLabel({}, this)),
      m_progress(new QProgressBar(this)) {
    m_name->setFont(Theme::font(FontRole::Title));
    m_progress->setFixedSize(160, 14);
    m_progress->setRange(0, 100);
    setAccessible(m_progress, tr("Model load progress"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 12, 0);
    layout->setSpacing(8);
    layout->addWidget(m_name);
    layout->addWidget(m_facts);
    layout->addWidget(m_progress);
    show(app::ModelView{});
}

void ModelBar::show(const app::ModelView& model) {
    const bool loading = model.state == app::ModelState::Loading;
    m_progress->setVisible(loading);
    m_facts->setVisible(model.state == app::ModelState::Ready);
    m_progress->setValue(static_cast<int>(std::lround(model.loadShare * 100)));
    switch (model.state) {
        case app::ModelState::None:
            m_name->setText(tr("No model loaded"));
            break;
        case app::ModelState::Failed:
            m_name->setText(tr("Model not loaded"));
            break;
        case app::ModelState::Loading:
            m_name->setText(tr("Loading %1").arg(oneLine(model.name, kMaxTitleLength)));
            break;
        case app::ModelState::Ready:
            m_name->setText(oneLine(model.name, kMaxTitleLength));
            m_facts->setText(factsText(model));
            break;
    }
    setToolTip(tipText(model.state == app::ModelState::Ready ? longText(model) : model.problem));
}

}  // namespace lacuna::ui
