// ESLint rule about comments: types of other files are imported at the head (`@import`), and lines have up to 120
// characters.

/** @import { Rule } from 'eslint' */

const LONGEST = 120;
/** A type that is taken from another file where it is used. What a module exports has no other form. */
const INLINE_TYPE = /(?<!typeof )\bimport\('[^']+'\)/;

/** @type {Rule.RuleModule} */
const plain = {
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const { type, value, loc } of sourceCode.getAllComments()) {
        if (!loc) continue;
        if (type === 'Block' && value.startsWith('*') && INLINE_TYPE.test(value))
          report({ loc, message: 'Import the type with @import at the head of the file.' });
        const before = sourceCode.lines[loc.start.line - 1].slice(0, loc.start.column);
        if (before.trim() !== '') continue; // behind code, whose length is the formatter's
        for (let line = loc.start.line; line <= loc.end.line; line += 1) {
          const { length } = sourceCode.lines[line - 1].trimEnd();
          const isAlone = line < loc.end.line || sourceCode.lines[line - 1].slice(loc.end.column).trim() === '';
          const start = { line, column: 0 };
          if (isAlone && length > LONGEST)
            report({
              loc: { start, end: { line, column: length } },
              message: `A comment is up to ${LONGEST} characters wide.`,
            });
        }
      }
    },
  }),
};

export default { rules: { plain } };
