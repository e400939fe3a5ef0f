/* Says whether the standard input is UTF-8, piece by piece. Exits with 0 if it is, and with 1 if it is not. */
#include <stdio.h>

#include <trust8.h>

int main(void) {
    static char piece[65536];
    trust8_validator validator;
    trust8_error error;
    char message[256];
    bool ok = true;
    size_t len;

    trust8_validator_init(&validator);
    while (ok && (len = fread(piece, 1, sizeof piece, stdin)) > 0) ok = trust8_validator_push(&validator, piece, len, &error);
    if (ok) ok = trust8_validator_finish(&validator, &error);
    if (!ok) {
        trust8_explain(&error, NULL, 0, message, sizeof message);
        puts(message);
    }
    return !ok;
}
