#!/usr/bin/perl
# Reports untranslated or invalid texts of catalogues: unfinished translations; placeholders (%1, %n), leading or trailing
# blanks, full stops or line breaks that differ from the source; accelerators (&) that are missing, clash or were added.
# Usage: check_catalogue.pl FILE.ts...   Exit status 1 if anything is reported.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

sub plain {
    my ($xml) = @_;
    $xml =~ s/<byte value="x([0-9a-f]+)"\/>/chr hex $1/ge;
    $xml =~ s/&lt;/</g; $xml =~ s/&gt;/>/g; $xml =~ s/&quot;/"/g; $xml =~ s/&apos;/'/g; $xml =~ s/&amp;/&/g;
    return $xml;
}

sub places { my %seen = map { $_ => 1 } $_[0] =~ /%(?:\d+|n)/g; return join ' ', sort keys %seen; }
sub accelerators { my ($text) = @_; $text =~ s/&&//g; return scalar(() = $text =~ /&\S/g); }
sub start { $_[0] =~ /^(\s*)/; return $1; }
sub end { my ($text) = @_; $text =~ /(\.\.\.|\x{2026}|\s+)$/; return $1 // ''; }

my $said = 0;
for my $path (@ARGV) {
    open my $file, '<', $path or die "$path: $!\n";
    my $all = do { local $/; <$file> };
    (my $language) = $all =~ /<TS[^>]* language="([^"]+)"/;
    while ($all =~ m{<context>\s*<name>(.*?)</name>(.*?)</context>}sg) {
        my ($context, $messages) = ($1, $2);
        while ($messages =~ m{<message([^>]*)>(.*?)</message>}sg) {
            my ($attributes, $message) = ($1, $2);
            my ($source) = map { plain($_) } $message =~ m{<source>(.*?)</source>}s;
            my ($state, $body) = $message =~ m{<translation([^>]*?)(?:/>|>(.*?)</translation>)}s;
            my $say = sub { $said = 1; (my $shown = $source) =~ s/\n/\\n/g; print "$path: $context: $_[0]: $shown\n"; };
            my @texts = $attributes =~ /numerus="yes"/
                ? map { plain($_) } ($body // '') =~ m{<numerusform[^>]*>(.*?)</numerusform>}sg
                : plain($body // '');
            if ($state =~ /unfinished/ || !@texts || grep { $_ eq '' } @texts) { $say->('not translated'); next; }
            for my $text (@texts) {
                my $missing = places($source) ne places($text);
                # A plural form may spell its number out: "one message".
                $missing = 0 if $attributes =~ /numerus/ && places($source =~ s/%n//r) eq places($text);
                $say->("its places differ (\"$text\")") if $missing;
                $say->("it begins otherwise (\"$text\")") if $language ne 'zh_CN' && start($source) ne start($text);
                # Chinese has no blanks around its own punctuation.
                my ($was, $is) = map { $language eq 'zh_CN' ? s/^ $//r : $_ } end($source), end($text);
                $say->("it ends otherwise (\"$text\")") if $was ne $is;
                $say->("its accelerator differs (\"$text\")") if accelerators($source) != accelerators($text);
            }
        }
    }
}
exit $said;
