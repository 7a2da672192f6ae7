# SPDX-License-Identifier: MIT
# inside.sh - what runs inside of the surroundings: the journey, whose programs may have a wrapper of their own.
. "$TESTS/common.sh"
. "$TESTS/journeys/$JOURNEY.sh"
. "$TESTS/surroundings/$SURROUNDING.sh"
! command -v starts >/dev/null || AS="sh $TESTS/starts.sh"
journey || :
