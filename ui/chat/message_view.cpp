#include "ui/chat/message_view.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/state/chat/conversation_export.h"
#include "app/state/number_format.h"
#include "ui/chat/branch_switch.h"
#include "ui/chat/markdown_writer.h"
#include "ui/chat/message_editor.h"
#include "ui/chat/thought_view.h"
#include "ui/style/long_lines.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

using app::LineState;
using app::MessageRole;

/// Characters per line; longer lines are hard to read.
constexpr int kColumn = 76;
constexpr qsizetype kMaxModelName = 60;  ///< characters
constexpr qsizetype kMaxChipName = 40;   ///< characters
constexpr qsizetype kTipLength = 600;    ///< characters of an attached text in its tool tip
constexpr QSize kAttachedPage(720, 560);

/// Part of a text, measured by its layout cost.
struct Part {
    qsizetype signs = 0, lines = 0;
};
constexpr Part kFolded{16'000, 300};
/// A text slightly longer than the folded part is not folded.
constexpr Part kUnfolded{24'000, 450};
/// Amount of text written at once after the beginning.
constexpr Part kSlice{8'000, 150};
/// Documents with more lines take ever longer to grow.
constexpr Part kMaxShown{4'000'000, 40'000};

/// End of a part that begins at `from`.
qsizetype endOfPart(const QString& text, qsizetype from, const Part& part) {
    const qsizetype left = text.size() - from;
    if (left < std::min(part.signs, part.lines)) return text.size();
    const qsizetype most = std::min(left, part.signs);
    qsizetype lines = 0;
    for (qsizetype at = from; at < from + most; ++at) {
        const ushort sign = text.at(at).unicode();
        if ((sign == u'\n' || sign == u'\r') && ++lines == part.lines) return at + 1;
    }
    return from + most == text.size() ? text.size() : from + cutOfLine(text, from, most);
}

/// "2,104 prompt tokens (1,998 cached) · 12 answer tokens · first token 0.84 s · 21.4 tok/s · 2
/// compactions"
QString figuresText(const app::TurnRow& row) {
    QStringList parts;
    const QString prompt =
        MessageView::tr("%1 prompt tokens").arg(app::countText(row.promptTokens));
    parts << (row.reusedTokens > 0
                  ? prompt + MessageView::tr(" (%1 cached)").arg(app::countText(row.reusedTokens))
                  : prompt);
    parts << MessageView::tr("%1 answer tokens").arg(app::countText(row.answerTokens));
    // An answer stopped during prefill never had a first token.
    parts << MessageView::tr("first token %1")
                 .arg(row.firstTokenSeconds > 0 ? app::durationText(row.firstTokenSeconds)
                                                : QString(QChar(0x2013)));
    if (row.decodeSeconds > 0 && row.answerTokens > 1) {
        const double speed = static_cast<double>(row.answerTokens) / row.decodeSeconds;
        parts << MessageView::tr("%1 tok/s").arg(app::rateText(speed));
    }
    if (row.compactions == 1) parts << MessageView::tr("1 compaction");
    if (row.compactions > 1)
        parts << MessageView::tr("%1 compactions").arg(app::countText(row.compactions));
    if (row.restoredTokens > 0)
        parts << MessageView::tr("%1 tokens restored for this question")
                     .arg(app::countText(row.restoredTokens));
    // Lines break between two figures, not within one.
    for (QString& part : parts) part.replace(QLatin1Char(' '), QChar(0x00A0));
    return parts.join(factSeparator());
}

}  // namespace

qsizetype foldedLength(const QString& text) {
    const bool whole = endOfPart(text, 0, kUnfolded) == text.size();
    return whole ? text.size() : endOfPart(text, 0, kFolded);
}

MessageView::MessageView(const app::ChatLine& line, const ThemeSource& themes, QWidget* parent)
    : QFrame(parent), m_themes(themes), m_line(line) {
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::wide, Spacing::unit, Spacing::wide, Spacing::unit);
    buildHead(layout);
    if (!line.attachment.isEmpty()) buildAttachments(layout);
    m_text = new MessageText(this);
    m_text->installEventFilter(this);
    connect(m_text, &QTextEdit::selectionChanged, this, &MessageView::markedChanged);
    layout->addWidget(m_text);
    buildFoot(layout);
    m_more.setSingleShot(true);
    m_more.setInterval(0);
    connect(&m_more, &QTimer::timeout, this, &MessageView::writeMore);
    show(line);
}

MessageView::~MessageView() = default;

int MessageView::widest(const QFontMetrics& letters) {
    return letters.averageCharWidth() * (kColumn + 14);
}

/// The text is written once its width is known, since each width costs a layout.
int MessageView::fit(int width) {
    resize(width, std::max(height(), 1));
    layout()->activate();
    if (m_stale) {
        writeText();
        showFold();
    }
    layout()->activate();
    const int tall = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width)
                                                   : layout()->totalSizeHint().height();
    resize(width, tall);
    return tall;
}

void MessageView::buildHead(QVBoxLayout* layout) {
    QHBoxLayout* head = rowLayout(nullptr, Spacing::half);
    m_roleLabel = shrinkingCaption(this);
    m_roleLabel->setContentsMargins(kTextInset, 0, 0, 0);
    head->addWidget(m_roleLabel, 1);
    m_actions = new QWidget(this);
    QHBoxLayout* buttons = rowLayout(m_actions, Spacing::half);
    QToolButton* copy = quietButton(tr("Copy"), tr("Copy this message"), m_actions);
    copy->installEventFilter(this);
    connect(copy, &QToolButton::clicked, this, &MessageView::copyText);
    buttons->addWidget(copy);
    if (m_line.speaker != MessageRole::System) {
        m_edit = quietButton(tr("Edit"), tr("Edit this message"), m_actions);
        m_edit->installEventFilter(this);
        connect(m_edit, &QToolButton::clicked, this, &MessageView::editRequested);
        buttons->addWidget(m_edit);
    }
    if (m_line.speaker == MessageRole::Model) {
        m_again = quietButton(tr("Regenerate"), tr("Answer the last question again"), m_actions);
        m_again->installEventFilter(this);
        connect(m_again, &QToolButton::clicked, this, &MessageView::regenerateRequested);
        buttons->addWidget(m_again);
        m_continue =
            quietButton(tr("Continue"), tr("Continue this answer where it ended"), m_actions);
        m_continue->installEventFilter(this);
        connect(m_continue, &QToolButton::clicked, this, &MessageView::continueRequested);
        buttons->addWidget(m_continue);
    }
    m_deleteBranch =
        quietButton(tr("Delete branch"),
                    tr("Delete this branch and everything after it; can be undone"), m_actions);
    m_deleteBranch->installEventFilter(this);
    connect(m_deleteBranch, &QToolButton::clicked, this, &MessageView::branchDeleteRequested);
    buttons->addWidget(m_deleteBranch);
    m_branches = new BranchSwitch(this);
    connect(m_branches, &BranchSwitch::branchRequested, this, &MessageView::branchRequested);
    // The buttons keep their space, so showing them moves nothing.
    QSizePolicy policy = m_actions->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_actions->setSizePolicy(policy);
    head->addWidget(m_actions);
    head->addWidget(m_branches);
    layout->addLayout(head);
    setBranch({});
}

void MessageView::buildAttachments(QVBoxLayout* layout) {
    for (const app::AttachedPart& part : app::attachedParts(m_line)) {
        const QString text = m_line.attachmentText.mid(part.first, part.length);
        const QString name = oneLine(part.name, kMaxChipName);
        auto* chip = new QToolButton(this);
        setRole(chip, QStringLiteral("chip"));
        const QString words =
            tr("%1  %2, %3 characters")
                .arg(name, app::bytesText(text.toUtf8().size()), app::countText(text.size()));
        chip->setText(QString(words).replace(QLatin1Char('&'), QLatin1String("&&")));
        chip->setToolTip(tipText(text.left(kTipLength) +
                                 (text.size() > kTipLength ? QString(QChar(0x2026)) : QString())));
        setAccessible(chip, tr("Show the attached text %1").arg(name));
        connect(chip, &QToolButton::clicked, this, [this, part] { showAttached(part); });
        m_chips << chip;
        layout->addWidget(chip, 0, Qt::AlignLeft);
    }
}

void MessageView::showAttached(const app::AttachedPart& part) {
    auto* page = new QDialog(window());
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->setWindowTitle(oneLine(part.name, kMaxTitleLength));
    auto* text = new QPlainTextEdit(page);
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    text->setFont(Theme::font(FontRole::Mono));
    text->setUndoRedoEnabled(false);
    setAccessible(text, page->windowTitle());
    QTextCursor cursor(text->document());
    insertInBlocks(cursor, m_line.attachmentText.mid(part.first, part.length), {});
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, page);
    connect(buttons, &QDialogButtonBox::rejected, page, &QDialog::close);
    auto* column = new QVBoxLayout(page);
    column->addWidget(text, 1);
    column->addWidget(buttons);
    page->resize(kAttachedPage);
    page->show();
}

void MessageView::buildFoot(QVBoxLayout* layout) {
    m_problem = captionLabel({}, this);
    m_problem->setWordWrap(true);
    m_figures = captionLabel({}, this);
    m_figures->setWordWrap(true);
    m_problem->setIndent(kTextInset);
    m_figures->setIndent(kTextInset);
    layout->addWidget(m_problem);
    layout->addWidget(m_figures);
}

void MessageView::appendText(const QString& text) {
    if (m_line.text.isEmpty()) showThought(false);
    m_line.text += text;
    if (m_tint) m_tinted += text;
    showText();
    if (!m_stale && writing()) writeMore();
}

void MessageView::show(const app::ChatLine& line) {
    const bool newText = line.text != m_line.text;
    m_line = line;
    showThought(line.state == LineState::Streaming && line.text.isEmpty());
    if (newText && m_tint) m_tinted = app::messageText(line);
    if (newText && !m_stale) writeText();
    showText();
    showFold();
    setAccessible(m_text, tr("Message of %1").arg(oneLine(app::authorOf(line), kMaxModelName)),
                  line.text.left(200));
    showFigures();
    showActions();
}

void MessageView::showThought(const app::Thought& thought) {
    m_line.thought = thought;
    showThought(m_line.text.isEmpty());
}

void MessageView::showThought(bool running) {
    if (m_thought == nullptr && m_line.thought.text.isEmpty()) return;
    if (m_thought == nullptr) {
        m_thought = new ThoughtView(m_themes, this);
        m_thought->button()->installEventFilter(this);
        connect(m_thought, &ThoughtView::heightChanged, this, &MessageView::heightChanged);
        auto* column = static_cast<QVBoxLayout*>(layout());
        column->insertWidget(column->indexOf(m_text), m_thought);
    }
    m_thought->show(m_line.thought, running);
}

void MessageView::showText() {
    m_text->setVisible(m_editor == nullptr && (!m_line.text.isEmpty() || m_tint.has_value()));
}

void MessageView::setBranch(const app::BranchPosition& place) {
    m_branches->show(place);
    m_deleteBranch->setVisible(place.count > 1);
}

void MessageView::beginEdit() {
    if (m_editor == nullptr) {
        m_editor = new MessageEditor(m_line, this);
        connect(m_editor, &MessageEditor::cancelled, this, &MessageView::endEdit);
        connect(m_editor, &MessageEditor::sendRequested, this, [this](const QString& text) {
            endEdit();
            Q_EMIT editSent(text);
        });
        auto* column = static_cast<QVBoxLayout*>(layout());
        column->insertWidget(column->indexOf(m_text), m_editor);
        m_editor->show();
        showText();
        Q_EMIT heightChanged();
    }
    m_editor->focusText();
}

void MessageView::endEdit() {
    if (m_editor == nullptr) return;
    m_editor->hide();
    std::exchange(m_editor, nullptr)->deleteLater();
    showText();
    m_text->setFocus(Qt::OtherFocusReason);
    Q_EMIT heightChanged();
    Q_EMIT editEnded();
}

void MessageView::showEditCost(qint64 tokens) {
    if (m_editor != nullptr) m_editor->showCost(tokens);
}

TextPositionMap MessageView::places() const {
    const QTextDocument& document = *m_text->document();
    // Attachments come before the words.
    const qsizetype before = app::messageText(m_line).size() - m_line.text.size();
    if (m_writer) return TextPositionMap::formatted(document, m_writer->shown(), before);
    return TextPositionMap::verbatim(document, m_tint ? 0 : before);
}

TextRange MessageView::selectedLetters() const {
    const QTextCursor cursor = m_text->textCursor();
    if (!cursor.hasSelection()) return {};
    return places().inText({cursor.selectionStart(), cursor.selectionEnd()});
}

void MessageView::setPins(QVector<app::PinRow> pins) {
    if (m_pins == pins) return;
    m_pins = std::move(pins);
    showFigures();
    if (!m_stale && !writing()) markPins();
}

/// Marks pins in the displayed text, formatted or tinted.
void MessageView::markPins() {
    if (m_pins.isEmpty() && m_pinRanges.isEmpty()) return;
    m_pinRanges.clear();
    const TextPositionMap where = places();
    const Theme& theme = m_themes.theme();
    QTextCharFormat format;
    QColor tint = theme.accent;
    tint.setAlphaF(0.16F);
    format.setBackground(tint);
    format.setUnderlineStyle(QTextCharFormat::DashUnderline);
    format.setUnderlineColor(theme.accent);
    QList<QTextEdit::ExtraSelection> marks;
    for (const app::PinRow& pin : m_pins) {
        const TextRange place = where.inDocument({pin.words.first, pin.words.last});
        m_pinRanges.push_back(place);
        if (place.isEmpty()) continue;
        QTextCursor cursor(m_text->document());
        cursor.setPosition(static_cast<int>(place.from));
        cursor.setPosition(static_cast<int>(place.to), QTextCursor::KeepAnchor);
        marks.push_back({cursor, format});
    }
    m_text->setExtraSelections(marks);
    m_text->tipAt = [this](int place) { return tipOf(place); };
}

QString MessageView::tipOf(int place) const {
    QStringList tips;
    if (m_tint)
        if (const TextRange letters = places().inText({place, place + 1}); !letters.isEmpty())
            tips << descriptionAt(*m_tint, letters.from);
    for (qsizetype i = 0; i < m_pinRanges.size(); ++i) {
        if (place < m_pinRanges[i].from || place >= m_pinRanges[i].to) continue;
        tips << (m_pins[i].tokens ? tr("Pinned: compaction keeps these words (%1 tokens).")
                                        .arg(app::countText(*m_pins[i].tokens))
                                  : tr("Pinned: compaction keeps these words."));
    }
    tips.removeAll(QString());
    return tips.join(QLatin1Char('\n'));
}

void MessageView::applyTheme() {
    m_writer.reset();
    if (!m_stale) writeText();
    if (m_thought != nullptr) m_thought->applyTheme();
    update();
}

void MessageView::writeText() {
    const Theme& theme = m_themes.theme();
    m_stale = false;
    m_written = 0;
    m_runs = m_tint ? runsOf(*m_tint) : QVector<TintRun>();
    if (m_line.speaker == MessageRole::Model) {
        if (!m_writer) m_writer = std::make_unique<MarkdownWriter>(*m_text->document(), theme);
        m_writer->reset(QString(), theme, m_runs);
    } else {
        m_text->document()->clear();
    }
    writeMore();
}

/// Writes one slice per turn of the event loop, so input such as a key press is handled in between.
void MessageView::writeMore() {
    const QString& text = whole();
    const Part& part = m_written == 0 ? kFolded : kSlice;
    const qsizetype end = std::min(endOfPart(text, m_written, part), targetLength());
    if (m_writer) {
        m_writer->append(text.mid(m_written, end - m_written));
    } else {
        writeTinted(*m_text->document(), text, m_runs, m_themes.theme(), m_written, end);
    }
    m_written = std::max(end, m_written);
    if (writing()) {
        m_more.start();
    } else {
        markPins();
        Q_EMIT heightChanged();
        findSearchedWords();
    }
}

void MessageView::seek(const QString& words, int number) {
    m_searchTarget = SearchTarget{words, number};
    if (!m_stale && !writing()) findSearchedWords();
}

/// Markdown markup is not in the document, so an occurrence may be missing; the previous one is
/// used then.
void MessageView::findSearchedWords() {
    const auto sought = std::exchange(m_searchTarget, std::nullopt);
    if (!sought) return;
    QTextCursor found;
    QTextCursor next(m_text->document());
    for (int i = 0; i <= sought->number && !next.isNull(); ++i) {
        next = m_text->document()->find(sought->words, next);
        if (!next.isNull()) found = next;
    }
    if (!found.isNull()) {
        m_text->setTextCursor(found);
        m_text->showSelection();
    }
    Q_EMIT searchFinished();
}

void MessageView::deselect() {
    m_searchTarget.reset();
    QTextCursor cursor = m_text->textCursor();
    cursor.clearSelection();
    m_text->setTextCursor(cursor);
}

std::optional<int> MessageView::selectionTop() const {
    const QTextCursor cursor = m_text->textCursor();
    if (!cursor.hasSelection()) return std::nullopt;
    QTextCursor start(cursor);
    start.setPosition(cursor.selectionStart());
    return m_text->mapTo(this, m_text->cursorRect(start).topLeft()).y();
}

qsizetype MessageView::targetLength() const {
    return m_open ? endOfPart(whole(), 0, kMaxShown) : foldedLength(whole());
}

void MessageView::setOpen(bool open) {
    if (m_open == open) return;
    m_open = open;
    if (!m_stale && open) m_more.start();
    if (!m_stale && !open) writeText();
    showFold();
}

void MessageView::showFold() {
    const qsizetype all = whole().size();
    const bool writing = m_line.state == LineState::Waiting || m_line.state == LineState::Streaming;
    const bool foldable = !writing && foldedLength(whole()) < all;
    if (m_fold == nullptr && !foldable) return;
    if (m_fold == nullptr) {
        m_fold = quietButton({}, {}, this);
        connect(m_fold, &QToolButton::clicked, this, [this] {
            setOpen(!m_open);
            Q_EMIT openChanged(m_open);
        });
        auto* column = static_cast<QVBoxLayout*>(layout());
        column->insertWidget(column->indexOf(m_text) + 1, m_fold, 0, Qt::AlignLeft);
    }
    const qsizetype most = endOfPart(whole(), 0, kMaxShown);
    const QString more =
        most < all ? tr("Show %1 of %2 characters").arg(app::countText(most), app::countText(all))
                   : tr("Show all %1 characters").arg(app::countText(all));
    const QString text = m_open ? tr("Show less") : more;
    m_fold->setText(text);
    m_fold->setToolTip(tipText(tr("This long message is folded. Copy takes the full text.")));
    setAccessible(m_fold, text);
    m_fold->setVisible(foldable);
}

bool MessageView::inUse() const {
    const QWidget* focus = QApplication::focusWidget();
    return editing() || m_text->textCursor().hasSelection() ||
           (focus != nullptr && isAncestorOf(focus));
}

QWidgetList MessageView::tabChain() const {
    QWidgetList chain;
    for (QToolButton* button : m_actions->findChildren<QToolButton*>()) chain << button;
    chain << m_branches->tabChain() << m_chips;
    if (m_thought != nullptr) chain << m_thought->button();
    if (m_editor != nullptr) chain << m_editor->tabChain();
    chain << m_text;
    if (m_fold != nullptr) chain << m_fold;
    return chain;
}

bool MessageView::event(QEvent* event) {
    const bool done = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) Q_EMIT heightChanged();
    return done;
}

void MessageView::setTint(std::optional<MessageTint> tint) {
    if (!tint && !m_tint) return;
    const bool same = tint && m_tint && runsOf(*tint) == m_runs;
    m_tint = std::move(tint);
    m_tinted = m_tint ? app::messageText(m_line) : QString();
    m_text->tipAt = [this](int place) { return tipOf(place); };
    if (!same && !m_stale) writeText();
    showFold();
    showText();
}

void MessageView::showFigures() {
    const bool writing = m_line.state == LineState::Waiting || m_line.state == LineState::Streaming;
    const bool queued = m_line.state == LineState::Waiting && !m_line.problem.isEmpty();
    const QString state = queued                                 ? tr("queued")
                          : m_line.state == LineState::Waiting   ? tr("reading the prompt")
                          : m_line.state == LineState::Streaming ? tr("writing")
                                                                 : QString();
    QStringList head{oneLine(app::authorOf(m_line), kMaxModelName), state};
    if (!m_pins.isEmpty()) head << tr("%n pinned", nullptr, static_cast<int>(m_pins.size()));
    head.removeAll(QString());
    // The state is more important than the name of the model.
    QStringList forms{head.join(factSeparator())};
    if (head.size() > 1) forms << head.mid(1).join(factSeparator());
    if (forms != m_roleLabel->forms()) m_roleLabel->setForms(forms);
    m_problem->setText(m_line.problem);
    m_problem->setVisible(!m_line.problem.isEmpty());
    setRole(m_problem, m_line.state == LineState::Failed ? QStringLiteral("bad")
                                                         : QStringLiteral("secondary"));
    m_figures->setVisible(m_line.figures.has_value() && !writing);
    if (m_line.figures) m_figures->setText(figuresText(*m_line.figures));
    showRereadingCost();
}

/// Shows the cost of regenerating at its button. The last prompt token is always evaluated, so it
/// does not count.
void MessageView::showRereadingCost() {
    if (m_again == nullptr) return;
    const qint64 tokens =
        m_last && m_line.figures ? m_line.figures->regenerateTokens.value_or(0) : 0;
    const bool reads = tokens > 1;
    m_again->setText(reads ? tr("Regenerate (reads %1 tokens)").arg(app::countText(tokens))
                           : tr("Regenerate"));
    m_again->setToolTip(tipText(
        reads ? tr("Answer the last question again. This reads %1 tokens again, because the cache "
                   "no longer covers them.")
                    .arg(app::countText(tokens))
        : m_last
            ? tr("Answer the last question again. This answer is kept as another branch.")
            : tr("Answer this question again. The messages after it are kept as another branch.")));
}

void MessageView::setLast(bool last) {
    if (m_last == last) return;
    m_last = last;
    showRereadingCost();
    showActions();
}

void MessageView::setReadOnly(bool readOnly) {
    for (QToolButton* button : {m_edit, m_again})
        if (button != nullptr) button->setVisible(!readOnly);
}

void MessageView::showActions() {
    if (m_again != nullptr) {
        const bool ended = m_line.state == LineState::Done;
        const bool begun = !m_line.text.isEmpty() || !m_line.thought.text.isEmpty();
        m_continue->setVisible(m_last && !ended && begun);
    }
    bool focused = false;
    const QWidget* focus = QApplication::focusWidget();
    if (focus != nullptr) focused = focus == m_text || m_actions->isAncestorOf(focus);
    const bool writing = m_line.state == LineState::Waiting || m_line.state == LineState::Streaming;
    m_actions->setVisible(!writing && !editing() && (underMouse() || focused));
}

void MessageView::copyText() const {
    QApplication::clipboard()->setText(m_line.text);
}

void MessageView::enterEvent(QEnterEvent* event) {
    QFrame::enterEvent(event);
    showActions();
}

void MessageView::leaveEvent(QEvent* event) {
    QFrame::leaveEvent(event);
    showActions();
}

void MessageView::paintEvent(QPaintEvent*) {
    if (m_line.speaker == MessageRole::Model) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_themes.theme().raised);
    painter.drawRoundedRect(rect(), 6, 6);
}

bool MessageView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        // After the focus has arrived at its target.
        QMetaObject::invokeMethod(
            this, [this] { showActions(); }, Qt::QueuedConnection);
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace lacuna::ui
