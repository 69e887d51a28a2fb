#!/usr/bin/env perl
# Groups sources that may be compiled together: perl unite.pl BYTES SOURCE... prints the number of a unit for each source,
# one per line, in the given order. A unit has about this many bytes. Two sources that declare the same name outside of
# classes and functions are never grouped, unless both declare overloads that headers declare too, or the same alias:
# names in an unnamed namespace must remain private to their own file.
# perl unite.pl --names SOURCE... prints those names instead: "SOURCE: KIND NAME", with "private" before the kind if
# the name is private to its file.
use strict;
use warnings;

# tokens(TEXT): the tokens that distinguish declarations, without comments, string contents and preprocessor lines,
# and the macros that are still defined at the end.
sub tokens {
    my ($text) = @_;
    $text =~ s/\\\n//g;
    $text =~ s{
        R"([^()\\\s]*)\(.*?\)\1"      # a raw text
        | //[^\n]*                    # a comment
        | /\*.*?\*/
        | "(?:\\.|[^"\\\n])*"         # a text
        | \b\d[\w.']*                 # a number, which may have separators
        | '(?:\\.|[^'\\\n])+'         # a character
    }{ $& =~ m{^/} ? ' ' : $& =~ /^\d/ ? '0' : '""' }gsex;
    my %macros;
    while ($text =~ /^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)/mg) {
        if ($1 eq 'define') { $macros{$2} = 1 } else { delete $macros{$2} }
    }
    $text =~ s/^[ \t]*#[^\n]*$//mg;
    return ([$text =~ /[A-Za-z_]\w*|::|""|\S/g], [sort keys %macros]);
}

# skipped(TOKENS, AT): the index after the bracket that closes the one at AT.
sub skipped {
    my ($tokens, $at) = @_;
    my %closing = ('{' => '}', '(' => ')', '[' => ']');
    my ($open, $depth) = ($tokens->[$at], 0);
    for (; $at < @$tokens; ++$at) {
        if ($tokens->[$at] eq $open) { ++$depth }
        elsif ($tokens->[$at] eq $closing{$open} && --$depth == 0) { return $at + 1 }
    }
    return $at;
}

# declared(STATEMENT): [kind, name, whether the declaration itself makes it private to the file, the words of an alias] for
# a statement, up to its body, its value or its end. Empty for members defined outside of their class, for operators, which
# differ by their operands, and for names that are only imported, which may occur twice.
sub declared {
    my @words = @_;
    while (@words && $words[0] eq '[') { splice @words, 0, skipped(\@words, 0) } # attributes
    return unless @words;
    if ($words[0] eq 'template') {
        my ($at, $depth) = (1, 0);
        for (; $at < @words; ++$at) {
            $depth += $words[$at] eq '<' ? 1 : $words[$at] eq '>' ? -1 : 0;
            last if $depth == 0;
        }
        return declared(@words[$at + 1 .. $#words]);
    }
    return if $words[0] =~ /^(?:static_assert|extern|friend|namespace)$/;
    return if $words[0] =~ /^(?:TYPED_)?TEST(?:_[FP])?$|^INSTANTIATE_/; # GoogleTest makes a name of suite and test
    if ($words[0] eq 'using') { return @words > 2 && $words[2] eq '=' ? ['alias', $words[1], 1, "@words"] : undef }
    if ($words[0] =~ /^(?:struct|class|union|enum)$/) {
        my $at = $words[0] eq 'enum' && @words > 1 && $words[1] =~ /^(?:class|struct)$/ ? 2 : 1;
        while ($at < @words && $words[$at] eq '[') { $at = skipped(\@words, $at) }
        my $after = $words[$at + 1] // '';
        return ['type', $words[$at], 1] if $at < @words && $after =~ /^(?:|:|final)$/;
        return if $after eq '::';
    }
    my $static = grep { $_ eq 'static' } @words;
    my $angle = 0;
    for my $at (1 .. $#words) {
        my $word = $words[$at];
        if ($word eq '<') { ++$angle }
        elsif ($word eq '>') { --$angle if $angle }
        elsif (!$angle && $word =~ /^[(=\[]$/) {
            return if $at > 1 && $words[$at - 2] eq '::' || grep { $_ eq 'operator' } @words[0 .. $at - 1];
            return ['value', $words[$at + 2], 1] if $word eq '(' && $words[$at + 1] =~ /^[*&]$/; # a pointer to functions
            return $word eq '(' ? ['function', $words[$at - 1], $static] : ['value', $words[$at - 1], 1];
        }
    }
    return if @words < 2 || $words[-2] eq '::' || $words[-1] !~ /^[A-Za-z_]/;
    return ['value', $words[-1], 1];
}

# further(STATEMENT): the variables that it declares after the first one.
sub further {
    my @words = @_;
    my ($depth, @names) = (0);
    for my $at (0 .. $#words - 1) {
        if ($words[$at] =~ /^[({\[]$/) { ++$depth }
        elsif ($words[$at] =~ /^[)}\]]$/) { --$depth }
        elsif ($words[$at] eq ',' && !$depth) {
            my ($name, $after) = grep { !/^[*&]$/ } @words[$at + 1 .. $#words];
            push @names, $name if $name =~ /^[A-Za-z_]/ && ($after // '=') =~ /^[=,{\[]$/;
        }
    }
    return @names;
}

# enumerators(TOKENS, FROM, END): the names between the braces of an enum.
sub enumerators {
    my ($tokens, $from, $end) = @_;
    my ($depth, $next, @names) = (0, 1);
    for my $word (@$tokens[$from .. $end]) {
        if ($word =~ /^[({]$/) { ++$depth }
        elsif ($word =~ /^[)}]$/) { --$depth }
        elsif ($word eq ',' && !$depth) { $next = 1 }
        elsif ($next && $word =~ /^[A-Za-z_]/) { push @names, $word; $next = 0 }
    }
    return @names;
}

# names(SOURCE): its declarations outside of classes and functions, each [kind, name, private, words of an alias].
sub names {
    my ($source) = @_;
    open(my $file, '<', $source) or die "$source: $!\n";
    my ($tokens, $macros) = tokens(do { local $/; <$file> });
    my @found = map { ['macro', $_, 1] } @$macros;
    my @unnamed = (0); # of each namespace around: whether it or one around it has no name
    my @statement;
    my $add = sub { push @found, [$_[0][0], $_[0][1], $_[0][2] || $unnamed[-1], $_[0][3]] if $_[0] };
    for (my $at = 0; $at < @$tokens;) {
        my $token = $tokens->[$at];
        if ($token eq '}') {
            pop @unnamed if @unnamed > 1;
            @statement = ();
            ++$at;
        } elsif ($token eq ';') {
            my $one = declared(@statement);
            $add->($one);
            $add->(['value', $_, 1]) for $one && $one->[0] eq 'value' ? further(@statement) : ();
            @statement = ();
            ++$at;
        } elsif ($token eq '(' || $token eq '[') {
            my $end = skipped($tokens, $at);
            push @statement, @$tokens[$at .. $end - 1];
            $at = $end;
        } elsif ($token ne '{') {
            push @statement, $token;
            ++$at;
        } elsif ("@statement" =~ /^(?:inline )?namespace\b/ || "@statement" eq 'extern ""') {
            push @unnamed, $unnamed[-1] || $statement[-1] eq 'namespace' ? 1 : 0;
            @statement = ();
            ++$at;
        } else {
            my $end = skipped($tokens, $at);
            my $one = declared(@statement);
            $add->($one);
            $add->(['value', $_, 1])
                for "@statement" =~ /^enum\b(?! class\b| struct\b)/ ? enumerators($tokens, $at + 1, $end - 2) : ();
            # A body ends its function. After the braces of a value, of a constructor's member or of a type, the same
            # statement continues.
            if ($one && $one->[0] eq 'type') { @statement = ('friend') } # nothing more that could clash
            elsif (($tokens->[$end] // '}') =~ /^(?:[A-Za-z_].*|[}\[]|::)$/) { @statement = () }
            else { push @statement, '{', '}' }
            $at = $end;
        }
    }
    return @found;
}

if (@ARGV && $ARGV[0] eq '--names') {
    shift;
    for my $source (@ARGV) {
        my %seen;
        print "$source: ", $_->[2] ? 'private ' : '', "$_->[0] $_->[1]\n" for grep { !$seen{"$_->[0] $_->[1]"}++ } names($source);
    }
    exit 0;
}

my $bytes = shift // die "usage: unite.pl BYTES SOURCE... | unite.pl --names SOURCE...\n";
my %size = map { $_ => -s $_ // die "$_: $!\n" } @ARGV;
my $sum = 0;
$sum += $_ for values %size;
my $units = int(($sum + $bytes - 1) / $bytes) || 1;

# For each source, name to meaning: '' if headers declare it, the words of an alias, otherwise the source itself.
my (%names, %meanings);
for my $source (@ARGV) {
    for (names($source)) {
        my ($kind, $name, $private) = @$_;
        $names{$source}{$name} = !$private ? '' : $kind eq 'alias' ? "= $_->[3]" : $source;
    }
    $meanings{$_}{$names{$source}{$_}} = 1 for keys %{$names{$source}};
}
# Sources that clash with others are placed first, while there is a choice.
my %clashes = map { my $of = $names{$_}; $_ => scalar grep { keys %{$meanings{$_}} > 1 } keys %$of } @ARGV;
my @unit = map { {size => 0, names => {}} } 1 .. $units;
my %chosen;
for my $source (sort { $clashes{$b} <=> $clashes{$a} } @ARGV) {
    my $own = $names{$source};
    my @free = grep {
        my $taken = $unit[$_]{names};
        !grep { exists $taken->{$_} && $taken->{$_} ne $own->{$_} } keys %$own;
    } 0 .. $#unit;
    # The first unit with enough space, otherwise the emptiest, otherwise a new one.
    my ($at) = grep { $unit[$_]{size} + $size{$source} / 2 <= $sum / $units } @free;
    ($at) = sort { $unit[$a]{size} <=> $unit[$b]{size} || $a <=> $b } @free unless defined $at;
    if (!defined $at) {
        push @unit, {size => 0, names => {}};
        $at = $#unit;
    }
    $chosen{$source} = $at;
    $unit[$at]{size} += $size{$source};
    $unit[$at]{names}{$_} = $own->{$_} for keys %$own;
}
print "$chosen{$_}\n" for @ARGV;
