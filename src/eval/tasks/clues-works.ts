// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const works = `
Don Quixote | Don Quijote
A false second part appeared before the true one.
Its author had lost the use of his left hand at Lepanto.
Its hero loves a peasant girl and calls her Dulcinea.
Sancho Panza rides along on a donkey.
A knight in it fights windmills.

Hamlet
A gravedigger in it sings at his work.
A play within it is called The Mousetrap.
Rosencrantz and Guildenstern appear in it.
Ophelia drowns in it.
A prince of Denmark asks in it whether to be or not to be.

Romeo and Juliet
A quarrel in it begins with the biting of a thumb.
Queen Mab is described in it.
A friar in it supplies a sleeping potion.
West Side Story retells it.
Two lovers of Verona die in it.

Odyssey | The Odyssey
A dog in it waits twenty years.
Its hero tells a good part of it himself, at a banquet.
A wife in it unravels her weaving each night.
Its hero calls himself Nobody in the cave of a one-eyed giant.
Homer's poem tells of a ten-year way home from Troy.

Moby Dick | Moby-Dick
It has a chapter on the meaning of whiteness.
A harpooner in it has a coffin made for himself.
It begins with a request to call the narrator Ishmael.
Its ship is called the Pequod.
Captain Ahab hunts a white whale in it.

Frankenstein
It begins with letters from the Arctic.
It was begun by Lake Geneva in a summer without sun.
Its author was eighteen when she began it.
Its second title names a modern Prometheus.
A scientist in Mary Shelley's book makes a monster.

Dracula
It is told in diaries, letters and newspaper cuttings.
A lawyer in it travels to sell a house in England.
A ship in it runs ashore at Whitby with no crew alive.
Van Helsing appears in it.
Bram Stoker's count from Transylvania drinks blood.

Robinson Crusoe
A real sailor named Selkirk may have inspired it.
Its hero had been a slave in Morocco.
Its hero teaches a parrot to speak.
Its author was Daniel Defoe.
A shipwrecked man lives on an island and meets Friday.

Alice in Wonderland | Alice's Adventures in Wonderland
It was first told on a boat trip in 1862.
Its author taught mathematics at Oxford.
A caterpillar in it smokes.
The Queen of Hearts wants everybody's head.
A girl follows a white rabbit down a hole.

Pinocchio | The Adventures of Pinocchio
At first it ended with its hero hanged on a tree.
A talking cricket in it is killed with a hammer.
It was written by Carlo Collodi.
Boys in it turn into donkeys.
A wooden puppet's nose grows when he lies.

Peter Pan
All rights in it were given to a hospital for children.
The dog in it works as a nurse.
It comes from J. M. Barrie.
A crocodile in it has swallowed a clock.
A boy who never grows up fights Captain Hook.

Faust
Its author worked on it for some sixty years.
A poodle in it turns into something else.
It has a scene in Auerbach's cellar.
Gretchen is betrayed in it.
Goethe's scholar makes a pact with Mephistopheles.

Cinderella
A Chinese version of this tale is over a thousand years old.
In one version birds peck out eyes at the end.
Perrault's version has a coach made from a vegetable.
Two stepsisters treat its heroine badly.
She loses a slipper at the ball.

Little Red Riding Hood | Red Riding Hood, Little Red Cap
In Perrault's version nobody is saved.
Its heroine carries cake and wine, with the Grimms.
Its heroine strays to pick flowers.
Its villain's belly is filled with stones.
A girl meets a wolf on the way to her grandmother.

Snow White | Snow White and the Seven Dwarfs
Its villain must dance in red-hot shoes, with the Grimms.
A hunter in it spares a girl.
A glass coffin stands in it.
A mirror in it tells the truth.
A girl in it lives with seven dwarfs and bites a poisoned apple.

Hansel and Gretel | Haensel and Gretel
A duck carries its heroes across the water at its end.
Humperdinck made an opera of it.
Birds eat the bread crumbs in it.
A bone is held out in it instead of a finger.
A witch lives in a house of gingerbread in it.

Mona Lisa | La Gioconda, La Joconde
It is painted on poplar wood.
It hung in Napoleon's bedroom.
It was stolen by a glazier in 1911.
It has no clear eyebrows.
Its smile draws millions to the Louvre.

Swan Lake
Its hero is called Siegfried.
It was no success at its first performance in 1877.
Its evil magician is called Rothbart.
One dancer usually plays both the white and the black part.
Tchaikovsky wrote this ballet about a princess turned into a bird.

The Magic Flute | Magic Flute
Its words are by a theater manager who also sang in it.
Three boys and three ladies appear in it.
A song in it climbs to a high F.
A birdcatcher named Papageno looks for a wife.
Mozart wrote this opera with the Queen of the Night.

Carmen
Bizet died three months after its first performance.
It is based on a story by Mérimée.
Its first act is set before a cigarette factory.
A bullfighter in it sings a famous song.
This opera in Seville is about a proud woman and Don José.

Treasure Island
It began with a map that a man drew with his stepson.
A blind man in it hands over a black spot.
A boy hides in an apple barrel in it.
Its narrator is Jim Hawkins.
Long John Silver looks for gold in it.

Gulliver's Travels | Gulliver, Gullivers Travels
It says of Mars that it has two moons, long before they were found.
Its horses are wiser than people.
It has a flying island called Laputa.
It was written by Jonathan Swift.
Its hero is tied down by the tiny people of Lilliput.

The Jungle Book | Jungle Book
It was written in Vermont.
A mongoose in it fights cobras.
Its author won the Nobel Prize in 1907.
A tiger in it is called Shere Khan.
Mowgli grows up among wolves in it.

The Time Machine | Time Machine
Its hero never gets a name.
It ends with two strange white flowers.
It was written by H. G. Wells.
The Eloi and the Morlocks live in it.
A man travels to the year 802,701 in it.

A Christmas Carol | Christmas Carol
It was written in six weeks, and its first edition had a red cover.
A door knocker in it turns into a face.
Tiny Tim appears in it.
Three spirits come in it, one after the other.
Dickens's miser Scrooge becomes a better man.
`;
