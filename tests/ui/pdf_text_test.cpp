// PDFs that are attached: their text, and a sentence for what has none.

#include <gtest/gtest.h>

#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/state/pdf_text.h"
#include "app/state/text_files.h"
#include "tests/ui/window_stage.h"
#include "ui/prompt_box.h"
#include "ui/prompt_desk.h"

namespace lacuna::ui {
namespace {

constexpr qsizetype kMost = 100'000;

/// Pages of words; an empty one is a picture.
QByteArray pdfOf(const QStringList& pages) {
    offscreenApplication();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    QPainter painter(&writer);
    for (qsizetype i = 0; i < pages.size(); ++i) {
        if (i > 0) writer.newPage();
        if (pages[i].isEmpty()) {
            QImage scan(40, 40, QImage::Format_RGB32);
            scan.fill(Qt::gray);
            painter.drawImage(QRect(0, 0, 2000, 2000), scan);
        } else {
            painter.drawText(QRect(0, 0, writer.width(), writer.height()),
                             Qt::AlignLeft | Qt::TextWordWrap, pages[i]);
        }
    }
    painter.end();
    return bytes;
}

/// A document whose user password is none that anybody knows.
QByteArray encryptedPdf() {
    QByteArray pdf = "%PDF-1.4\n";
    QList<qsizetype> places;
    const auto object = [&](const QByteArray& body) {
        places << pdf.size();
        pdf += QByteArray::number(places.size()) + " 0 obj\n" + body + "\nendobj\n";
    };
    object("<< /Type /Catalog /Pages 2 0 R >>");
    object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>");
    object("<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + QByteArray(64, '3') + "> /U <" +
           QByteArray(64, '7') + "> >>");
    const qsizetype table = pdf.size();
    pdf += "xref\n0 5\n0000000000 65535 f \n";
    for (const qsizetype place : places)
        pdf += QByteArray::number(place).rightJustified(10, '0') + " 00000 n \n";
    pdf += "trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<" + QByteArray(32, '1') + "> <" +
           QByteArray(32, '1') + ">] >>\nstartxref\n" + QByteArray::number(table) + "\n%%EOF\n";
    return pdf;
}

TEST(PdfText, pagesOfWords_areOneTextInTheirOrder) {
    const app::PdfText read =
        app::textOfPdf(pdfOf({QStringLiteral("The boathouse key hangs behind the clock."),
                              QStringLiteral("K\u00e4se und Brot")}),
                       QStringLiteral("notes.pdf"), kMost);
    ASSERT_TRUE(read.problem.isEmpty()) << read.problem.toStdString();
    EXPECT_EQ(read.pages, 2);
    EXPECT_EQ(read.pictures, 0);
    const QString text = QString(read.text).simplified();
    EXPECT_TRUE(text.contains(QStringLiteral("The boathouse key hangs behind the clock.")))
        << text.toStdString();
    EXPECT_TRUE(text.endsWith(QStringLiteral("K\u00e4se und Brot"))) << text.toStdString();
}

TEST(PdfText, scannedPages_areSaidToHaveNoText) {
    const app::PdfText read = app::textOfPdf(pdfOf({{}, {}}), QStringLiteral("scan.pdf"), kMost);
    EXPECT_TRUE(read.text.isEmpty());
    EXPECT_TRUE(read.problem.contains(QStringLiteral("scan.pdf has no text")))
        << read.problem.toStdString();
    EXPECT_TRUE(read.problem.contains(QStringLiteral("2")));
}

TEST(PdfText, somePagesOfPictures_areCounted) {
    const app::PdfText read =
        app::textOfPdf(pdfOf({QStringLiteral("words"), {}}), QStringLiteral("mixed.pdf"), kMost);
    EXPECT_TRUE(read.problem.isEmpty());
    EXPECT_EQ(read.pictures, 1);
}

TEST(PdfText, encryptedOne_isSaidToBeEncrypted) {
    const app::PdfText read = app::textOfPdf(encryptedPdf(), QStringLiteral("secret.pdf"), kMost);
    EXPECT_TRUE(read.problem.contains(QStringLiteral("encrypted"))) << read.problem.toStdString();
}

// Poppler mends what it can; whatever comes, nothing crashes, and no text comes without being one.
TEST(PdfText, cutOrChangedAnywhere_isReadOrRefused) {
    const QByteArray whole = pdfOf({QStringLiteral("The boathouse key hangs behind the clock.")});
    EXPECT_TRUE(app::textOfPdf("%PDF-1.4 nothing", QStringLiteral("x.pdf"), kMost)
                    .problem.contains(QStringLiteral("damaged")));
    for (qsizetype at = 5; at < whole.size(); at += 97) {
        const app::PdfText cut = app::textOfPdf(whole.left(at), QStringLiteral("x.pdf"), kMost);
        EXPECT_EQ(cut.text.isEmpty(), !cut.problem.isEmpty());
        QByteArray changed = whole;
        changed[at] = static_cast<char>(~changed[at]);
        const app::PdfText other = app::textOfPdf(changed, QStringLiteral("x.pdf"), kMost);
        EXPECT_EQ(other.text.isEmpty(), !other.problem.isEmpty());
    }
}

TEST(PdfText, tooMuchOfIt_orCancelled_ends) {
    const QByteArray whole = pdfOf({QStringLiteral("one page"), QStringLiteral("another")});
    EXPECT_TRUE(app::textOfPdf(whole, QStringLiteral("big.pdf"), 5)
                    .problem.contains(QStringLiteral("more than 5 characters")));
    int asked = 0;
    const app::PdfText read =
        app::textOfPdf(whole, QStringLiteral("x.pdf"), kMost, [&asked] { return ++asked > 1; });
    EXPECT_TRUE(read.text.contains(QStringLiteral("one page")));
    EXPECT_FALSE(read.text.contains(QStringLiteral("another")));
}

class PdfJourney : public WindowStage {};

TEST_F(PdfJourney, attachedPdf_isAChip_andWhatIsMissingIsSaid) {
    load();
    const QTemporaryDir folder;
    const auto file = [&folder](const char* name, const QByteArray& bytes) {
        const QString path = folder.filePath(QString::fromLatin1(name));
        QFile written(path);
        EXPECT_TRUE(written.open(QIODevice::WriteOnly));
        written.write(bytes);
        return path;
    };
    Q_EMIT window->prompt().filesGiven(
        {file("mixed.pdf", pdfOf({QStringLiteral("The key hangs behind the clock."), {}})),
         file("scan.pdf", pdfOf({{}}))});
    ASSERT_TRUE(QTest::qWaitFor([this] { return shows("scan.pdf has no text"); }, 20'000));
    EXPECT_EQ(window->prompt().draft().attachmentName, QStringLiteral("mixed.pdf"));
    EXPECT_TRUE(
        window->prompt().draft().attachmentText.contains(QStringLiteral("behind the clock")));
}

}  // namespace
}  // namespace lacuna::ui
