/** What an ear is asked where nothing else is given. */
export const earQuestion = "(Has the question been answered already? Yes or No.)";
